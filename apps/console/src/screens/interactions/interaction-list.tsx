import type { InteractionReply } from '@baton/gateway/reply-types';
import { type FilterField, FilterForm, filterOf } from '../../components/table/filter-form.tsx';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useRoute } from '../../components/route.ts';
import { RowLink } from '../../components/row-link.tsx';
import { Status } from '../../components/status.tsx';
import { RelativeTime } from '../../components/time.tsx';

const FILTER: readonly FilterField[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['pending', 'answered', 'expired', 'cancelled'],
    preset: 'pending',
  },
  { name: 'operation', label: 'Operation' },
  { name: 'principal', label: 'Principal' },
];

const COLUMNS: readonly Column<InteractionReply>[] = [
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  {
    title: 'Request',
    cell: ({ interactionId, summary }) => <RowLink to={['interactions', interactionId]} text={summary} />,
  },
  { title: 'Operation', cell: ({ operation }) => plainText(operation) },
  { title: 'Principal', cell: ({ principal }) => plainText(principal) },
  { title: 'Client', cell: ({ client }) => plainText(client ?? '—') },
  { title: 'Opened', cell: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
  {
    title: 'Deadline',
    cell: ({ expiresAt }) => (expiresAt === undefined ? '—' : <RelativeTime iso={expiresAt} />),
  },
  { title: 'Attempt', cell: ({ attempt }) => attempt ?? '—' },
  { title: 'With', cell: (row) => whoHasIt(row) },
];

/** All interactions that the key may see; pending ones first, unless the address says otherwise. */
export function InteractionList() {
  const { query } = useRoute();
  return (
    <>
      <h1>Interactions</h1>
      <FilterForm fields={FILTER} />
      <PagedTable
        caption="Interactions"
        path="/interactions"
        field="interactions"
        query={filterOf(FILTER, query)}
        columns={COLUMNS}
        rowId={({ interactionId }) => interactionId}
        empty="No interaction matches."
      />
    </>
  );
}

function whoHasIt({ claimedBy, answeredBy, provider, role }: InteractionReply): string {
  if (claimedBy !== undefined) return plainText(`claimed by ${claimedBy.holder ?? claimedBy.principal}`);
  if (answeredBy !== undefined) return plainText(`answered by ${answeredBy}`);
  if (provider === true) return "its role's LLM endpoint";
  return role === 'person' ? 'a person' : '—';
}
