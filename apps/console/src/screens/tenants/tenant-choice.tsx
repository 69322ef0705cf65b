import type { TenantReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useSession } from '../../session/session-context.ts';
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
    {
      title: 'Open tasks',
      cell: ({ usage, limits }) => `${usage.openTasks} of ${limits.openTasks.toLocaleString()}`,
    },
    {
      title: 'Pending',
      cell: ({ usage, limits }) =>
        `${usage.pendingInteractions} of ${limits.pendingInteractions.toLocaleString()}`,
    },
    {
      title: 'Stored',
      cell: ({ usage, limits }) => `${Math.round((usage.storedBytes / limits.storedBytes) * 100)} %`,
    },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
  ];
  return (
    <>
      <h1>Tenants</h1>
      <TenantForm onMade={onChoose} />
      <PagedTable
        caption="Tenants"
        path="/tenants"
        field="tenants"
        query={{}}
        columns={columns}
        rowId={({ id }) => id}
        empty="There is no tenant yet: create one above."
      />
    </>
  );
}

function TenantForm({ onMade }: { onMade: (tenant: string) => void }) {
  const { client } = useSession();
  const [id, setId] = useState('');
  const run = async () => {
    await client.post('/tenants', { id });
    onMade(id);
    return '';
  };
  return (
    <details>
      <summary>Create a tenant</summary>
      <ActionForm submit="Create" run={run}>
        <label>
          Id
          <input required value={id} onInput={(event) => setId(event.currentTarget.value.trim())} />
        </label>
      </ActionForm>
    </details>
  );
}
