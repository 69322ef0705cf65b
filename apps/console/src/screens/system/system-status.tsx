import type { StatusReply } from '@baton/gateway/reply-types';
import { DescriptionList } from '../../components/description-list.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText } from '../../components/plain-text.ts';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';
import { FailedJobs } from './failed-jobs.tsx';

/** What runs of the whole deployment, for the operator: processes, queues and Redis, and what is wrong with any of them. */
export function SystemStatus() {
  const session = useSession();
  const live = useLiveValue(session, 'status', (signal) =>
    session.client.get<StatusReply>('/status', {}, signal),
  );
  const status = live.value;
  return (
    <section>
      <h2>System</h2>
      <LiveState live={live} />
      {status !== undefined && (
        <>
          {warningsOf(status).map((warning) => (
            <p class="problem" role="alert" key={warning}>
              {warning}
            </p>
          ))}
          <DescriptionList
            of={[
              ['Gateways', `${status.gateways.length}: ${plainText(status.gateways.join(', '))}`],
              ['Workers', `${status.workers.length}: ${plainText(status.workers.join(', '))}`],
              ['Redis', `${status.redis.version}, ${memoryText(status.redis)}`],
              ['Waiting for an answer', pendingText(status)],
              ['Resume lag', lagText(status)],
              ...queueNames(status).map((queue) => [`Queue ${queue}`, queueText(status, queue)] as const),
            ]}
          />
        </>
      )}
      <FailedJobs />
    </section>
  );
}

const MEBIBYTE = 1_048_576;
/** From this share of Redis's memory on the page warns. */
const NEARLY_FULL = 0.8;

function memoryText({ usedMemoryBytes: used, maxMemoryBytes: most }: StatusReply['redis']): string {
  const mib = (bytes: number) => `${Math.round(bytes / MEBIBYTE).toLocaleString()} MiB`;
  return most === 0 ? `${mib(used)} of no limit` : `${mib(used)} of ${mib(most)}`;
}

const AGES: Readonly<Record<StatusReply['pending'][number]['age'], string>> = {
  under_1m: 'under a minute',
  under_10m: 'under 10 minutes',
  under_1h: 'under an hour',
  over_1h: 'an hour or more',
};

function pendingText({ pending }: StatusReply): string {
  const sum = pending.reduce((all, { count }) => all + count, 0);
  const parts = pending.filter(({ count }) => count > 0).map(({ age, count }) => `${count} ${AGES[age]}`);
  return sum === 0 ? 'nothing' : `${sum}: ${parts.join(', ')}`;
}

function lagText({ resumeLagMs }: StatusReply): string {
  if (resumeLagMs === undefined) return 'none: nothing waits for a worker';
  return `the oldest job has waited for ${(resumeLagMs / 1_000).toFixed(1)} s`;
}

function queueNames({ queues }: StatusReply): readonly string[] {
  return [...new Set(queues.map(({ queue }) => queue))];
}

function queueText({ queues }: StatusReply, name: string): string {
  return queues
    .filter(({ queue }) => queue === name)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ');
}

function warningsOf({ redis, workers, pausedQueues }: StatusReply): readonly string[] {
  const { usedMemoryBytes: used, maxMemoryBytes: most, appendOnly, refuses } = redis;
  return [
    ...(workers.length === 0 ? ['No worker lives: answers are stored, and nothing is resumed.'] : []),
    ...(appendOnly ? [] : ['Redis keeps no append-only file: a restart of it loses what is parked.']),
    ...(refuses === undefined ? [] : [`Redis refuses ${plainText(refuses)}.`]),
    ...(refuses === undefined && most > 0 && used > most * NEARLY_FULL
      ? ['Redis is nearly full: new calls will be refused.']
      : []),
    ...pausedQueues.map((queue) => `The queue ${queue} is paused.`),
  ];
}
