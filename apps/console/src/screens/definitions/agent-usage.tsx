import type { UsageReply } from '@baton/gateway/reply-types';
import { useLiveValue } from '../../live/use-live-value.ts';
import { type Column, Table } from '../../components/table/table.tsx';
import { durationText } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';

/** What the LLM calls of each agent used in the last 30 days, for whoever may see it. */
export function AgentUsage() {
  const session = useSession();
  const { value } = useLiveValue(session, 'usage by agent', (signal) =>
    session.client.get<UsageReply>('/usage', { by: 'agent' }, signal),
  );
  const rows = value?.rows.filter(({ key }) => key !== '') ?? [];
  if (value === undefined || rows.length === 0) return null;
  return (
    <section>
      <h2>
        Usage, {value.from} to {value.to}
      </h2>
      <Table
        caption="Usage by agent"
        columns={columnsOf(value.currency)}
        rows={rows}
        rowId={({ key }) => key}
      />
    </section>
  );
}

function columnsOf(currency = ''): Column<UsageReply['total']>[] {
  return [
    { title: 'Agent', cell: ({ key }) => key },
    { title: 'Calls', cell: ({ calls }) => calls.toLocaleString() },
    { title: 'Failed', cell: ({ calls, failedCalls }) => percentText(failedCalls, calls) },
    { title: 'Tokens in', cell: ({ inputTokens }) => inputTokens.toLocaleString() },
    { title: 'Tokens out', cell: ({ outputTokens }) => outputTokens.toLocaleString() },
    {
      title: 'Mean time',
      cell: ({ calls, durationMs }) => (calls === 0 ? '—' : durationText(durationMs / calls)),
    },
    { title: `Cost ${currency}`, cell: ({ cost }) => cost?.toFixed(4) ?? '—' },
  ];
}

/** A share of all, of which one that is not 0 is never shown as 0. */
function percentText(part: number, all: number): string {
  if (part === 0 || all === 0) return '0 %';
  return `${part} (${((100 * part) / all).toFixed(part / all < 0.1 ? 1 : 0)} %)`;
}
