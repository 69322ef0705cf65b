import type { InteractionDetailReply, TaskDetailReply } from '@baton/gateway/reply-types';
import { readableText } from '../../components/plain-text.ts';
import { useLiveValue } from '../../live/use-live-value.ts';
import { useSession } from '../../session/session-context.ts';

/** The answer to an interaction, read from the journal of its task. */
export function AnswerView({ of: { interactionId, taskId } }: { of: InteractionDetailReply }) {
  const session = useSession();
  const path = `/tasks/${encodeURIComponent(taskId)}`;
  const { value: journal, error } = useLiveValue(
    session,
    `${path} journal`,
    async (signal) => (await session.client.get<TaskDetailReply>(path, {}, signal)).journal,
    `baton://tasks/${taskId}`,
  );
  if (journal === undefined) return <p>{error === undefined ? 'Loading' : error.message}</p>;
  const answer = answerIn(journal, interactionId);
  // A branch that has ended keeps what came of it, and a task that ended long ago keeps no answers.
  if (answer === undefined) return <p>The journal has this answer no longer.</p>;
  return <pre tabIndex={0}>{readableText(answer)}</pre>;
}

/** An answer is stored with the interaction that it answers. */
function answerIn(journal: TaskDetailReply['journal'], interactionId: string): object | undefined {
  for (const { value } of journal) {
    if (typeof value !== 'object' || value === null) continue;
    const { interactionId: answered, ...answer } = value as { interactionId?: unknown };
    if (answered === interactionId) return answer;
  }
  return undefined;
}
