import { HiddenUntilAsked } from '../../components/hidden-until-asked.tsx';
import { plainText, readableText } from '../../components/plain-text.ts';
import { Status } from '../../components/status.tsx';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';

interface Step {
  readonly name: string;
  readonly tool?: string;
  readonly status: string;
  readonly source?: 'server' | 'client';
}

interface WorkflowReply {
  readonly workflow?: string;
  readonly variables?: Readonly<Record<string, unknown>> & {
    readonly '_workflow.progress'?: {
      readonly goal: string;
      readonly completed: number;
      readonly total: number;
      readonly steps: readonly Step[];
    };
  };
}

/** A workflow's steps, each with who made its call, and its variables once asked for; for whoever may call tools. */
export function WorkflowSteps({ taskId }: { taskId: string }) {
  const session = useSession();
  const { value } = useLiveValue(
    session,
    `steps of ${taskId}`,
    () => session.client.post<WorkflowReply>('/tools/task_status', { taskId }),
    `baton://tasks/${taskId}`,
  );
  const progress = value?.variables?.['_workflow.progress'];
  if (progress === undefined) return null;
  return (
    <section>
      <h2>
        {plainText(value?.workflow ?? 'Steps')}: {progress.completed} of {progress.total} steps
      </h2>
      <p>{plainText(progress.goal)}</p>
      <ol class="steps" aria-label="Steps">
        {progress.steps.map(({ name, status, source }) => (
          <li key={name}>
            <Status status={status} /> {plainText(name)}{' '}
            {source !== undefined && <small class="source">{source}</small>}
          </li>
        ))}
      </ol>
      <HiddenUntilAsked title="Variables">
        {() => <pre tabIndex={0}>{readableText(value?.variables)}</pre>}
      </HiddenUntilAsked>
    </section>
  );
}
