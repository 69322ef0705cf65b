import type { TenantReply } from '@baton/gateway/reply-types';
import { useState } from 'preact/hooks';
import { ActionForm } from '../../components/action-form.tsx';
import { useSession } from '../../session/session-context.ts';
import { type Column, Table } from '../../components/table/table.tsx';

/** A tenant's limits against what it has of them. What is typed is sent for those that differ. */
export function LimitsForm({ tenant, onChanged }: { tenant: TenantReply; onChanged: () => void }) {
  const { client } = useSession();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const limits = Object.entries(tenant.limits);
  const changed = limits.filter(([name, most]) => typed[name] !== undefined && Number(typed[name]) !== most);
  const run = async () => {
    const patch = Object.fromEntries(changed.map(([name]) => [name, Number(typed[name])]));
    await client.patch('', { limits: patch });
    onChanged();
    return 'The limits are set.';
  };
  const columns: Column<(typeof limits)[number]>[] = [
    { title: 'Limit', cell: ([name]) => name },
    { title: 'In use', cell: ([name, most]) => <Use of={usedOf(tenant, name)} most={most} /> },
    {
      title: 'At most',
      cell: ([name, most]) => (
        <input
          type="number"
          class="limit"
          aria-label={name}
          min={0}
          required
          value={typed[name] ?? most}
          onInput={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
        />
      ),
    },
  ];
  return (
    <ActionForm submit={`Set ${changed.length} limits`} disabled={changed.length === 0} run={run}>
      <h2>Limits</h2>
      <Table caption="Limits" columns={columns} rows={limits} rowId={([name]) => name} />
    </ActionForm>
  );
}

function usedOf({ usage }: TenantReply, name: string): number | undefined {
  return (usage as Readonly<Record<string, number>>)[name];
}

function Use({ of: used, most }: { of: number | undefined; most: number }) {
  if (used === undefined) return <>—</>;
  return (
    <>
      {used.toLocaleString()}{' '}
      <meter min={0} max={most} high={most * 0.9} value={used} aria-label="share in use" />
    </>
  );
}
