import { useLive } from '../../live/use-live.ts';
import { durationText } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';

interface Row {
  readonly key: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  readonly cost?: number;
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly currency?: string;
  readonly rows: readonly Row[];
}

/** What the LLM calls of each agent used in the last 30 days, for whoever may see it. */
export function AgentUsage() {
  const session = useSession();
  const { value } = useLive(session, 'usage by agent', (signal) =>
    session.client.get<Report>('/usage', { by: 'agent' }, signal),
  );
  const rows = value?.rows.filter(({ key }) => key !== '') ?? [];
  if (value === undefined || rows.length === 0) return null;
  return (
    <section>
      <h2>
        Usage, {value.from} to {value.to}
      </h2>
      <div class="scrolling" tabIndex={0} role="region" aria-label="Usage by agent">
        <table>
          <thead>
            <tr>
              {['Agent', 'Calls', 'Tokens in', 'Tokens out', 'Mean time', `Cost ${value.currency ?? ''}`].map(
                (title) => (
                  <th scope="col" key={title}>
                    {title}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, calls, inputTokens, outputTokens, durationMs, cost }) => (
              <tr key={key}>
                <td data-title="Agent">{key}</td>
                <td data-title="Calls">{calls.toLocaleString()}</td>
                <td data-title="Tokens in">{inputTokens.toLocaleString()}</td>
                <td data-title="Tokens out">{outputTokens.toLocaleString()}</td>
                <td data-title="Mean time">{calls === 0 ? '—' : durationText(durationMs / calls)}</td>
                <td data-title="Cost">{cost?.toFixed(4) ?? '—'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
