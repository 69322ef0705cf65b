import { type Correction, type DelegatedCall, parseInteractionId } from '@baton/protocol';
import type { Identity, PendingInteraction, TaskView } from '@baton/store';
import type { Call } from '../../call/call.ts';
import { directiveForPendingInteractions } from '../directive-for-pending-interactions.ts';
import { outcomeOf, type TaskOutcome } from '../task-outcome.ts';

/** An answer that does not fit: what is wrong with it, and the request that asks again. */
export interface Rejection {
  readonly correction: Correction;
  readonly asked: PendingInteraction;
  readonly call: DelegatedCall;
}

/** What the task asks again since the answer to this interaction does not fit; undefined where it fits, or nobody knows yet. */
export async function findRejection(
  { tenant }: Call,
  identity: Identity,
  view: TaskView,
  interactionId: string,
): Promise<Rejection | undefined> {
  if (!('pending' in view)) return undefined;
  const answered = numberOf(interactionId);
  for (const pending of view.pending) {
    const { request } = pending;
    if (request.call.attempt === 1 || numberOf(pending.interactionId) < answered) continue;
    const call = 'request' in request.call ? request.call : await readCall(pending.interactionId);
    const correction = call?.correction;
    if (call === undefined || correction?.interactionId !== interactionId) continue;
    return { correction, call, asked: { ...pending, request: { call } } };
  }
  return undefined;

  /** Of several requests that a task waits for, only the first was read whole. */
  async function readCall(id: string): Promise<DelegatedCall | undefined> {
    const [read] = await tenant.queries.interactions(identity, [id]);
    return read?.request.call;
  }
}

/** `outcome` of an answer that does not fit: it leads with what is wrong, and holds the request again only on demand. */
export function outcomeOfRejection(
  view: TaskView,
  { correction, asked, call }: Rejection,
  repeat: boolean,
): TaskOutcome {
  const { problem, mostAttempts } = correction;
  const all = outcomeOf(view);
  const whole = directiveForPendingInteractions(view.taskId, view.operation, [asked], view.principal);
  const { llmRequestForAgent: _, warning: _warning, ...short } = whole ?? {};
  const pending = repeat ? whole : { ...short, message: 'Correct the answer.' };
  return { problem, attempt: call.attempt, mostAttempts, ...all, pending } as TaskOutcome;
}

export function rejectionText({ correction, asked, call }: Rejection, repeat: boolean): string {
  const { problem, mostAttempts } = correction;
  const said = `Rejected: ${problem}; attempt ${call.attempt} of ${mostAttempts}. Post the whole answer, corrected, with interactionId ${asked.interactionId}.`;
  return repeat
    ? said
    : `${said} The request is as before; the same answer again with repeat: true shows it.`;
}

function numberOf(interactionId: string): number {
  return parseInteractionId(interactionId)?.number ?? 0;
}
