import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';
import { useMemo } from 'preact/hooks';
import { LiveState } from '../../components/live-state.tsx';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { RelativeTime, useNow } from '../../components/time.tsx';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';
import { type AgeCount, countByAge } from './count-by-age.ts';
import { countOverTime, outcomesOf } from './count-over-time.ts';
import { OutcomesChart } from './outcomes-chart.tsx';

/** `nextCursor`: there are older ones, which were not looked at. */
interface TaskPage {
  readonly tasks: readonly TaskReply[];
  readonly nextCursor?: string;
}

interface Shown {
  readonly pending: readonly InteractionReply[];
  readonly hasMorePending: boolean;
  readonly running: TaskPage;
  readonly failed: TaskPage;
  readonly newest: TaskPage;
  readonly interactions: readonly InteractionReply[];
}

/** So many of each are read: the oldest that wait, the newest of the others. */
const READ = { pending: 200, listed: 5, newest: 200 };

/** What waits, what runs and what failed, of all that the key may see. */
export function Overview() {
  const session = useSession();
  const { client } = session;
  const live = useLiveValue<Shown>(session, 'overview', async (signal) => {
    const tasks = (limit: number, status?: string) =>
      client.get<TaskPage>('/tasks', { status, limit }, signal);
    const interactions = (query: Readonly<Record<string, string | number>>) =>
      client.get<{ interactions: readonly InteractionReply[]; nextCursor?: string }>(
        '/interactions',
        query,
        signal,
      );
    const [page, running, failed, newest, newestInteractions] = await Promise.all([
      interactions({ status: 'pending', limit: READ.pending }),
      tasks(READ.listed, 'working'),
      tasks(READ.listed, 'failed'),
      tasks(READ.newest),
      interactions({ limit: READ.newest }),
    ]);
    return {
      pending: page.interactions,
      hasMorePending: page.nextCursor !== undefined,
      running,
      failed,
      newest,
      interactions: newestInteractions.interactions,
    };
  });
  const shown = live.value;
  return (
    <>
      <h1>Overview</h1>
      <LiveState live={live} />
      {shown !== undefined && (
        <div class="overview">
          <Waiting pending={shown.pending} hasMore={shown.hasMorePending} />
          <Tasks
            title="Working now"
            status="working"
            page={shown.running}
            empty="Nothing is being worked on."
          />
          <Tasks title="Failed last" status="failed" page={shown.failed} empty="Nothing has failed." />
          <Outcomes of={shown} at={live.updatedAt ?? 0} />
        </div>
      )}
    </>
  );
}

function Waiting({ pending, hasMore }: { pending: readonly InteractionReply[]; hasMore: boolean }) {
  const now = useNow();
  const ages = countByAge(pending, now);
  return (
    <section>
      <h2>
        <a href="#/interactions">Waiting for an answer</a>: {pending.length}
        {hasMore && ' and more'}
      </h2>
      {pending.length === 0 ? <p>Nothing waits.</p> : <Ages of={ages} />}
      <ul>
        {pending.slice(0, READ.listed).map(({ interactionId, summary, createdAt }) => (
          <li key={interactionId}>
            <RowLink to={['interactions', interactionId]} text={summary} />, <RelativeTime iso={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Outcomes({ of: { newest, interactions }, at }: { of: Shown; at: number }) {
  const counted = useMemo(
    () => countOverTime(outcomesOf(interactions, newest.tasks), at),
    [newest, interactions, at],
  );
  return (
    <section>
      <h2>Answered, expired and failed over time</h2>
      {counted === undefined ? (
        <p>Nothing has ended.</p>
      ) : (
        <OutcomesChart of={counted} newest={READ.newest} />
      )}
    </section>
  );
}

function Ages({ of: ages }: { of: readonly AgeCount[] }) {
  const most = Math.max(1, ...ages.map(({ count }) => count));
  return (
    <ol class="waterfall" aria-label="Waiting by age">
      {ages.map(({ label, count }) => (
        <li key={label}>
          <span class="what">{label}</span>
          <span class="bar-line" aria-hidden="true">
            <span class="bar" style={{ left: 0, width: `${(count / most) * 100}%` }} />
          </span>
          <span class="when">{count}</span>
        </li>
      ))}
    </ol>
  );
}

function Tasks({
  title,
  status,
  page: { tasks, nextCursor },
  empty,
}: {
  title: string;
  status: string;
  page: TaskPage;
  empty: string;
}) {
  return (
    <section>
      <h2>
        <a href={`#/tasks?status=${status}`}>{title}</a>
      </h2>
      {tasks.length === 0 && <p>{nextCursor === undefined ? empty : 'None of the newest tasks.'}</p>}
      <ul>
        {tasks.map(({ taskId, operation, principal, lastUpdatedAt }) => (
          <li key={taskId}>
            <RowLink to={['tasks', taskId]} text={operation} /> of {plainText(principal)},{' '}
            <RelativeTime iso={lastUpdatedAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
