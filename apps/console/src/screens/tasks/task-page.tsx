import type { TaskDetailReply } from '@baton/gateway/reply-types';
import { useAction } from '../../components/action/action.ts';
import { useLiveValue } from '../../live/use-live-value.ts';
import { ActionResult } from '../../components/action/action-result.tsx';
import { ConfirmedButton } from '../../components/action/confirmed-button.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { LiveState } from '../../components/live-state.tsx';
import { plainText, readableText } from '../../components/plain-text.ts';
import { Status } from '../../components/status.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';
import { WorkflowSteps } from './workflow-steps.tsx';
import { WaterfallView } from './waterfall-view.tsx';

/** One task: its timeline, and its arguments, journal and result once asked for. */
export function TaskPage({ id }: { id: string }) {
  const session = useSession();
  const path = `/tasks/${encodeURIComponent(id)}`;
  const live = useLiveValue(
    session,
    path,
    (signal) => session.client.get<TaskDetailReply>(path, {}, signal),
    `baton://tasks/${id}`,
  );
  const task = live.value;
  return (
    <>
      <h1>
        {plainText(task?.operation ?? 'Task')} <small>{id}</small>
      </h1>
      <LiveState live={live} />
      {task !== undefined && (
        <>
          <Facts of={task} />
          <TaskActions key={id} task={task} onChanged={live.reload} />
          {task.operation === 'workflow' && <WorkflowSteps taskId={id} />}
          <h2>Timeline</h2>
          <WaterfallView task={task} />
          <HiddenUntilAsked title="Arguments">
            {() => <pre tabIndex={0}>{readableText(task.input)}</pre>}
          </HiddenUntilAsked>
          <HiddenUntilAsked title={`Journal (${task.journal.length})`}>
            {() => <Journal of={task.journal} />}
          </HiddenUntilAsked>
          {task.result !== undefined && (
            <HiddenUntilAsked title="Result">
              {() => <pre tabIndex={0}>{readableText(task.result)}</pre>}
            </HiddenUntilAsked>
          )}
        </>
      )}
    </>
  );
}

function Facts({ of: task }: { of: TaskDetailReply }) {
  return (
    <DescriptionList
      of={[
        ['Status', <Status status={task.status} />],
        ['Error', task.error && plainText(`${task.error.code}: ${task.error.message}`)],
        ['Principal', plainText(task.principal)],
        ['Client', plainText(task.client ?? '—')],
        ['Created', <RelativeTime iso={task.createdAt} />],
        ['Changed', <RelativeTime iso={task.lastUpdatedAt} />],
        ['Fails unless ended', !isEnded(task) && <RelativeTime iso={task.expiresAt} />],
        ['Version', task.version],
        ['Trace', task.traceId],
      ]}
    />
  );
}

function Journal({ of: journal }: { of: TaskDetailReply['journal'] }) {
  return (
    <ol class="journal">
      {journal.map(({ path, kind, ok, value, error }) => (
        <li key={path}>
          <strong>
            {path} {plainText(kind)}
          </strong>{' '}
          {ok ? '' : '✕ failed'}
          <pre tabIndex={0}>{readableText(ok ? value : error)}</pre>
        </li>
      ))}
    </ol>
  );
}

function TaskActions({ task, onChanged }: { task: TaskDetailReply; onChanged: () => void }) {
  const { client } = useSession();
  const action = useAction();
  const path = `/tasks/${encodeURIComponent(task.taskId)}`;
  const run = (done: string, verb: string) =>
    action.start(() =>
      client
        .post(`${path}/${verb}`)
        .then(() => done)
        .finally(onChanged),
    );
  return (
    <div class="actions">
      {task.status === 'failed' && (
        <button
          type="button"
          class="secondary"
          disabled={action.isRunning}
          onClick={() => void run('The task goes on from its journal.', 'retry')}
        >
          Retry
        </button>
      )}
      {!isEnded(task) && (
        <ConfirmedButton
          class="secondary outline"
          disabled={action.isRunning}
          question="Cancel this task? What it waits for is taken back."
          confirm="Cancel task"
          onConfirm={() => void run('The task is cancelled.', 'cancel')}
        >
          Cancel task
        </ConfirmedButton>
      )}
      <ActionResult action={action} />
    </div>
  );
}

function isEnded({ status }: TaskDetailReply): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
