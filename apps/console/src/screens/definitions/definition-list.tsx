import { useState } from 'preact/hooks';
import { useAction } from '../../components/action/action.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { type Column, PagedTable } from '../../components/table/paged-table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { isAdmin } from '../../session/session.ts';
import { useSession } from '../../session/session-context.ts';
import { AgentUsage } from './agent-usage.tsx';
import { agentState, type DefinitionKind, type DefinitionSummary, describe } from './definition-kind.ts';

/** What a tenant defines of one kind. Specialists have a switch; the primary is never switched off. */
export function DefinitionList({ kind }: { kind: DefinitionKind }) {
  const session = useSession();
  const { client } = session;
  const mayChange = isAdmin(session);
  const action = useAction();
  const [reading, setReading] = useState(0);
  const toggle = (id: string, enabled: boolean) =>
    action.start(async () => {
      await client.post(`/agents/${encodeURIComponent(id)}/${enabled ? 'enable' : 'disable'}`);
      setReading((before) => before + 1);
      return `${id} is ${enabled ? 'enabled' : 'disabled'}.`;
    });
  const columns: readonly Column<DefinitionSummary>[] = [
    {
      title: 'Name',
      cell: (one) => <RowLink to={[kind.plural, kind.keyOf(one)]} text={one.name} />,
    },
    ...(kind.plural === 'agents' ? [agentColumn(mayChange ? toggle : undefined)] : []),
    { title: 'What', cell: describe },
    ...(kind.plural === 'agents' ? [MODEL] : []),
    { title: 'Version', cell: ({ version }) => version },
    { title: 'Stored', cell: ({ storedAt }) => <RelativeTime iso={storedAt} /> },
    { title: 'By', cell: ({ storedBy }) => plainText(storedBy) },
  ];
  return (
    <>
      <h1>{kind.title}</h1>
      {mayChange && (
        <p>
          <a href={`#/${kind.plural}/new`}>Create one</a>
        </p>
      )}
      <ActionResult action={action} />
      <PagedTable
        key={kind.plural}
        changes={reading}
        caption={kind.title}
        path={`/${kind.plural}`}
        field={kind.plural}
        query={{}}
        columns={columns}
        rowId={kind.keyOf}
        empty="There is none."
      />
      {kind.plural === 'agents' && <AgentUsage />}
    </>
  );
}

const MODEL: Column<DefinitionSummary> = { title: 'Model', cell: ({ model }) => plainText(model ?? '—') };

/** With a switch for whoever may change it. */
function agentColumn(
  toggle: ((id: string, enabled: boolean) => Promise<void>) | undefined,
): Column<DefinitionSummary> {
  return {
    title: 'State',
    cell: (one) => {
      if (one.isPrimary === true || toggle === undefined) return agentState(one);
      const { id = one.name, enabled = false } = one;
      return (
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            aria-label={`Enable ${id}`}
            checked={enabled}
            onChange={(event) => void toggle(id, event.currentTarget.checked)}
          />
          {agentState(one)}
        </label>
      );
    },
  };
}
