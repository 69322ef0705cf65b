import type { InteractionReply, TaskReply } from '@baton/gateway/reply-types';
import { useMemo } from 'preact/hooks';
import { LiveState } from '../../components/live-state.tsx';
import { plainText } from '../../components/plain-text.ts';
import { RowLink } from '../../components/row-link.tsx';
import { RelativeTime, useNow } from '../../components/time.tsx';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';
import { type AgeCount, countByAge } from './count-by-age.ts';
import { EndedChart } from './ended-chart.tsx';
import { countEndedOverTime, type EndedTasks, type EndStatus } from './ended-over-time.ts';

interface Shown {
  readonly pending: readonly InteractionReply[];
  readonly hasMorePending: boolean;
  readonly running: readonly TaskReply[];
  readonly ended: Readonly<Record<EndStatus, EndedTasks>>;
}

/** So many of each are read: the oldest that wait, the newest of the others. */
const READ = { pending: 200, running: 5, ended: 100 };
const LISTED = 5;

/** What waits, what runs and what failed, of all that the key may see. */
export function Overview() {
  const session = useSession();
  const { client } = session;
  const live = useLiveValue<Shown>(session, 'overview', async (signal) => {
    const tasks = (status: string, limit: number) =>
      client.get<{ tasks: readonly TaskReply[]; nextCursor?: string }>('/tasks', { status, limit }, signal);
    const ended = async (status: EndStatus): Promise<EndedTasks> => {
      const reply = await tasks(status, READ.ended);
      return { tasks: reply.tasks, hasMore: reply.nextCursor !== undefined };
    };
    const waiting = { status: 'pending', limit: READ.pending };
    const [page, running, completed, failed, cancelled] = await Promise.all([
      client.get<{ interactions: readonly InteractionReply[]; nextCursor?: string }>(
        '/interactions',
        waiting,
        signal,
      ),
      tasks('working', READ.running),
      ended('completed'),
      ended('failed'),
      ended('cancelled'),
    ]);
    return {
      pending: page.interactions,
      hasMorePending: page.nextCursor !== undefined,
      running: running.tasks,
      ended: { completed, failed, cancelled },
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
            tasks={shown.running}
            empty="Nothing is being worked on."
          />
          <Tasks
            title="Failed last"
            status="failed"
            tasks={shown.ended.failed.tasks.slice(0, LISTED)}
            empty="Nothing has failed."
          />
          <Ended of={shown.ended} at={live.updatedAt ?? 0} />
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
        {pending.slice(0, LISTED).map(({ interactionId, summary, createdAt }) => (
          <li key={interactionId}>
            <RowLink to={`/interactions/${interactionId}`} text={summary} />, <RelativeTime iso={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Ended({ of: ended, at }: { of: Shown['ended']; at: number }) {
  const counted = useMemo(() => countEndedOverTime(ended, at), [ended, at]);
  return (
    <section>
      <h2>Ended over time</h2>
      {counted === undefined ? <p>Nothing has ended.</p> : <EndedChart of={counted} now={at} />}
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
  tasks,
  empty,
}: {
  title: string;
  status: string;
  tasks: readonly TaskReply[];
  empty: string;
}) {
  return (
    <section>
      <h2>
        <a href={`#/tasks?status=${status}`}>{title}</a>
      </h2>
      {tasks.length === 0 && <p>{empty}</p>}
      <ul>
        {tasks.map(({ taskId, operation, principal, lastUpdatedAt }) => (
          <li key={taskId}>
            <RowLink to={`/tasks/${taskId}`} text={operation} /> of {plainText(principal)},{' '}
            <RelativeTime iso={lastUpdatedAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
