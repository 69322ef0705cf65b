import type { FailedJobReply } from '@baton/gateway/reply-types';
import { plainText } from '../../components/plain-text.ts';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { RelativeTime } from '../../components/time.tsx';

const COLUMNS: readonly Column<FailedJobReply>[] = [
  { title: 'Job', cell: ({ id }) => <code>{plainText(id)}</code> },
  { title: 'Tenant', cell: ({ tenant }) => plainText(tenant ?? '—') },
  { title: 'Reason', cell: ({ reason }) => plainText(reason) },
  { title: 'Attempts', cell: ({ attempts }) => attempts },
  {
    title: 'Failed',
    cell: ({ failedAt }) => (failedAt === undefined ? '—' : <RelativeTime iso={failedAt} />),
  },
];

/** Jobs that BullMQ runs no more, with their reasons. */
export function FailedJobs() {
  return (
    <>
      <h2>Failed jobs</h2>
      <PagedTable
        caption="Failed jobs"
        path="/failed-jobs"
        field="jobs"
        query={{}}
        columns={COLUMNS}
        rowId={({ id }) => id}
        empty="No job has failed for good."
      />
    </>
  );
}
