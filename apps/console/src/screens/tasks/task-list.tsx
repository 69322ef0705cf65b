import type { TaskReply } from '@baton/gateway/reply-types';
import type { RestClient } from '../../rest/rest-client.ts';
import type { BulkAction } from '../../components/table/bulk-actions.tsx';
import { type FilterField, FilterForm, filterOf } from '../../components/table/filter-form.tsx';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useRoute } from '../../components/route.ts';
import { RowLink } from '../../components/row-link.tsx';
import { Status } from '../../components/status.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';

const FILTER: readonly FilterField[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  },
  { name: 'operation', label: 'Operation' },
  { name: 'errorCode', label: 'Error code' },
  { name: 'principal', label: 'Principal' },
];

const COLUMNS: readonly Column<TaskReply>[] = [
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Task', cell: ({ taskId, operation }) => <RowLink to={['tasks', taskId]} text={operation} /> },
  { title: 'Id', cell: ({ taskId }) => <code>{taskId}</code> },
  { title: 'Principal', cell: ({ principal }) => plainText(principal) },
  { title: 'Created', cell: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
  { title: 'Changed', cell: ({ lastUpdatedAt }) => <RelativeTime iso={lastUpdatedAt} /> },
];

function bulkActions(client: RestClient): readonly BulkAction<TaskReply>[] {
  const post = (verb: string) => ({
    noun: 'tasks',
    run: ({ taskId }: TaskReply) => client.post(`/tasks/${encodeURIComponent(taskId)}/${verb}`),
  });
  return [
    { label: 'Retry', ...post('retry') },
    { label: 'Cancel', ...post('cancel') },
  ];
}

/** All tasks that the key may see, newest first. */
export function TaskList() {
  const { client } = useSession();
  const { query } = useRoute();
  return (
    <>
      <h1>Tasks</h1>
      <FilterForm fields={FILTER} />
      <PagedTable
        caption="Tasks"
        path="/tasks"
        field="tasks"
        query={filterOf(FILTER, query)}
        columns={COLUMNS}
        rowId={({ taskId }) => taskId}
        empty="No task matches."
        bulk={bulkActions(client)}
      />
    </>
  );
}
