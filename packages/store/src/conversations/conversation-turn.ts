import { BatonError, type Message } from '@baton/protocol';
import { CONVERSATION_TTL } from '../records/durations.ts';
import { taskRef } from '../records/keys.ts';
import { FIELD } from '../records/task-record.ts';
import { refusalError } from '../records/refusal-error.ts';
import { BEGIN_TURN, END_TURN } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { findEndedRefs, isTurn, isUnfinished, wakeTurn } from './conversation-queue.ts';
import { forgetConversations } from './conversations.ts';

/** Tasks that wait for their turn in one conversation, with the one that has it. */
const MOST_QUEUED = 16;
/** Who waits looks again before this is over, and is in the queue again. */
const QUEUE_TTL = 300_000;
/** A conversation's records outlive its place in the index by this. */
const GRACE = 86_400_000;

/** The messages of a conversation with these numbers, `to` not included. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

export type BegunTurn = 'stale' | { readonly waits: true } | ({ readonly waits: false } & MessageRange);

/** What a turn adds to its conversation, and to the journal of its task. */
export interface EndedTurn {
  readonly path: string;
  readonly entry: string;
  readonly journal: readonly (readonly [path: string, entry: string])[];
  /** Of a conversation that begins with this turn. */
  readonly title: string;
  /** None of a turn that failed. */
  readonly messages: readonly Message[];
}

/** The turns of conversations, for one task that runs a segment: its fence guards what is written. */
export class ConversationTurn {
  private readonly context: TenantContext;
  private readonly taskId: string;
  private readonly principal: string;
  private readonly fence: string;

  constructor(context: TenantContext, taskId: string, principal: string, fence: string) {
    this.context = context;
    this.taskId = taskId;
    this.principal = principal;
    this.fence = fence;
  }

  /**
   * Gives the task its turn in a conversation, or a place in the queue. Errors: `conversation_not_found`; `limit_pending` of a queue
   * that is full.
   */
  async begin(conversation: string): Promise<BegunTurn> {
    let ended: readonly string[] = [];
    let first = '';
    // Those that ended without leaving the queue, and a task that creates the conversation, are each met once.
    for (let attempt = 1; attempt <= MOST_QUEUED; attempt++) {
      const [code, fact = '', to] = (await this.runBegin(conversation, ended, first)).map(String);
      switch (code) {
        case 'stale':
          return 'stale';
        case 'begun':
          return { waits: false, from: Number(fact), to: Number(to) };
        case 'limit':
          ended = await findEndedRefs(this.context, fact.split(' '));
          if (ended.length > 0) continue;
          throw queueFullError(conversation);
        case 'missing': {
          // The first turn of a conversation goes on in the task with its id: the queue is behind that.
          const isBegun = await this.isFirstTurn(conversation);
          if (!isBegun && attempt > 1)
            throw refusalError(['conversation_not_found'], { conversationId: conversation });
          first = isBegun ? taskRef(conversation) : '';
          continue;
        }
        default:
          ended = await findEndedRefs(this.context, fact.split(' '));
          if (ended.length === 0) return { waits: true };
      }
    }
    return { waits: true };
  }

  /**
   * Ends the turn; the conversation of a task's own id begins with it. Errors: `conversation_not_found` of one that was deleted
   * meanwhile, `limit_storage`.
   */
  async end(conversation: string, turn: EndedTurn): Promise<'ended' | 'stale' | { journaled: string }> {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      END_TURN,
      {
        task: keys.task(this.taskId),
        conversation: keys.conversation(conversation),
        messages: keys.messages(conversation),
      },
      {
        fence: this.fence,
        path: turn.path,
        entry: turn.entry,
        own: taskRef(this.taskId),
        title: turn.title,
        keep: CONVERSATION_TTL + GRACE,
        idle: CONVERSATION_TTL,
        journal: turn.journal.length,
      },
      { args: [...turn.journal.flat(), ...turn.messages.map((message) => JSON.stringify(message))] },
    );
    const [code, fact, ...dropped] = reply.map(String);
    if (code === 'stale') return 'stale';
    if (code === 'journaled') return { journaled: fact ?? '' };
    if (code === 'missing') throw refusalError(['conversation_not_found'], { conversationId: conversation });
    if (code !== 'ended') throw refusalError(reply);
    if (dropped.length > 0) await forgetConversations(this.context, dropped);
    if (fact !== undefined && fact !== '') await wakeTurn(this.context, fact);
    return 'ended';
  }

  private runBegin(conversation: string, ended: readonly string[], first: string): Promise<unknown[]> {
    const { keys } = this.context;
    return runScript(
      this.context,
      BEGIN_TURN,
      { task: keys.task(this.taskId), conversation: keys.conversation(conversation) },
      {
        fence: this.fence,
        ref: taskRef(this.taskId),
        ended: ended.join(' '),
        most: MOST_QUEUED,
        first,
        idle: QUEUE_TTL,
      },
    );
  }

  /** Whether the task of a conversation's id goes on, of this task's principal: then it is the first turn of that conversation. */
  private async isFirstTurn(taskId: string): Promise<boolean> {
    const { keys, connection } = this.context;
    const [status, principal, program] = await connection.command((client) =>
      client.hmget(keys.task(taskId), FIELD.status, FIELD.principal, FIELD.program),
    );
    return principal === this.principal && isTurn(program) && isUnfinished(status);
  }
}

function queueFullError(conversationId: string): BatonError {
  return new BatonError(
    'limit_pending',
    `Conversation '${conversationId}' has ${MOST_QUEUED} turns that have not ended, the most that it takes. Answer or cancel one, then repeat.`,
    { limit: 'conversationQueue', most: MOST_QUEUED, conversationId, retryAfterMs: 1_000 },
  );
}
