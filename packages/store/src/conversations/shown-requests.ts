import { parseInteractionId } from '@baton/protocol';
import type { InteractionRequest, SummarizedRequest } from '../records/interaction-request.ts';
import { START_ANSWER_TIME } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { Conversations } from './conversations.ts';
import { TenantPart } from '../tenant/tenant-context.ts';

/** A pending interaction as it was read. */
interface ReadInteraction {
  readonly interactionId: string;
  readonly expiresAt?: number;
  readonly request: InteractionRequest | SummarizedRequest;
}

/**
 * Completes pending requests that are about to be shown: those of a conversation get its messages, and, where they are shown to be
 * answered, the time for an answer of those that have a limit of their own begins. Most have neither, and cost nothing.
 */
export class ShownRequests extends TenantPart {
  private readonly conversations = new Conversations(this.context);

  async complete<T extends ReadInteraction>(read: readonly T[]): Promise<readonly T[]> {
    return read.some(needsCompletion) ? Promise.all(read.map((one) => this.completeOne(one))) : read;
  }

  /** The same where no time begins: in a list without a claim, to whoever else than their caller, and of requests whose time has begun in the script that read them. */
  async withHistories<T extends ReadInteraction>(read: readonly T[]): Promise<readonly T[]> {
    return read.some(needsCompletion) ? Promise.all(read.map((one) => this.completeOne(one, false))) : read;
  }

  private async completeOne<T extends ReadInteraction>(one: T, starts = true): Promise<T> {
    if (!needsCompletion(one) || !('request' in one.request.call)) return one;
    const { answerWithinMs } = one.request.call;
    const [call, expiresAt] = await Promise.all([
      this.conversations.withHistory(one.request.call),
      answerWithinMs === undefined || !starts ? one.expiresAt : this.startAnswerTime(one, answerWithinMs),
    ]);
    return { ...one, request: { ...one.request, call }, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }

  private async startAnswerTime(one: ReadInteraction, within: number): Promise<number | undefined> {
    const { keys } = this.context;
    const parsed = parseInteractionId(one.interactionId);
    if (parsed === undefined) return one.expiresAt;
    const names = keys.taskNames(parsed.taskId);
    const { topic, ref } = names;
    const { number } = parsed;
    const reply = await runScript(this.context, START_ANSWER_TIME, names, {
      topic,
      ref,
      number,
      within,
    });
    return reply[0] === 'due' ? Number(reply[1]) : one.expiresAt;
  }
}

function needsCompletion({ request, expiresAt }: ReadInteraction): boolean {
  if (!('request' in request.call)) return false;
  const { history, answerWithinMs } = request.call;
  // Without a deadline it is not pending any more.
  return history !== undefined || (answerWithinMs !== undefined && expiresAt !== undefined);
}
