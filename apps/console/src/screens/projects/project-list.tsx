import { useState } from 'preact/hooks';
import type { ProjectReply } from '@baton/gateway/reply-types';
import { RowLink } from '../../components/row-link.tsx';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ImportForm } from './import-form.tsx';

const COLUMNS: readonly Column<ProjectReply>[] = [
  {
    title: 'Project',
    cell: ({ projectRoot }) => <RowLink to={['projects', projectRoot]} text={projectRoot} />,
  },
  { title: 'Bytes', cell: ({ bytes }) => bytes.toLocaleString() },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? '—' : <RelativeTime iso={lastUsedAt} />),
  },
];

/** A tenant's projects, and a form that imports one. */
export function ProjectList() {
  const [reading, setReading] = useState(0);
  return (
    <>
      <h1>Projects</h1>
      <ImportForm onImported={() => setReading((before) => before + 1)} />
      <PagedTable
        changes={reading}
        caption="Projects"
        path="/projects"
        field="projects"
        query={{}}
        columns={COLUMNS}
        rowId={({ projectRoot }) => projectRoot}
        empty="There is none."
      />
    </>
  );
}
