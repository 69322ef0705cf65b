import type { TenantReply } from '@baton/gateway/reply-types';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { plainText } from '../../components/plain-text.ts';
import { RelativeTime } from '../../components/time.tsx';

/** The operator's first page: whose records to look at. */
export function TenantChoice({ onChoose }: { onChoose: (tenant: string) => void }) {
  const columns: readonly Column<TenantReply>[] = [
    {
      title: 'Tenant',
      cell: ({ id }) => (
        <button type="button" class="small" onClick={() => onChoose(id)}>
          {plainText(id)}
        </button>
      ),
    },
    { title: 'Name', cell: ({ name }) => plainText(name) },
    { title: 'State', cell: ({ suspended }) => (suspended ? 'suspended' : 'active') },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
  ];
  return (
    <>
      <h1>Tenants</h1>
      <PagedTable
        caption="Tenants"
        path="/tenants"
        field="tenants"
        query={{}}
        columns={columns}
        rowId={({ id }) => id}
        empty="There is no tenant yet: baton tenants create NAME makes one."
      />
    </>
  );
}
