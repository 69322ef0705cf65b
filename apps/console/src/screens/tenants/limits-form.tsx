import type { TenantReply } from '@baton/gateway/reply-types';
import { useEffect, useState } from 'preact/hooks';
import { ActionForm } from '../../components/action/action-form.tsx';
import { useConfirmation } from '../../components/action/confirmation.tsx';
import { countText } from '../../components/count-text.ts';
import { plainText } from '../../components/plain-text.ts';
import { useSession } from '../../session/session-context.ts';
import { type Column, Table } from '../../components/table/table.tsx';

/** A tenant's limits against what it has of them. What is typed is sent for those that differ. */
export function LimitsForm({ tenant, onChanged }: { tenant: TenantReply; onChanged: () => void }) {
  const { client } = useSession();
  const { ask, dialog } = useConfirmation();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const limits = Object.entries(tenant.limits);
  const changed = limits.filter(([name, most]) => typed[name] !== undefined && Number(typed[name]) !== most);
  const submit = `Set ${countText(changed.length, 'limit')}`;
  // What was typed is done with once it is the limit, so that a later limit of others is shown.
  useEffect(() => {
    setTyped((before) =>
      Object.fromEntries(
        limits.flatMap(([name, most]) => {
          const text = before[name];
          return text === undefined || Number(text) === most ? [] : [[name, text]];
        }),
      ),
    );
  }, [JSON.stringify(tenant.limits)]);
  const run = async () => {
    const list = changed.map(([name, most]) => `${name} ${most} → ${typed[name]}`).join(', ');
    const question = `${submit} of ${plainText(tenant.id)}: ${list}?`;
    if (!(await ask({ question, confirm: submit }))) return 'Nothing was set.';
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
    <>
      <ActionForm submit={submit} disabled={changed.length === 0} run={run}>
        <h2>Limits</h2>
        <Table caption="Limits" columns={columns} rows={limits} rowId={([name]) => name} />
      </ActionForm>
      {dialog}
    </>
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
