import { type Message, messageText } from '@baton/protocol';
import { type Effect, type Program, sleep } from './effect.ts';
import { waitForRoom } from './wait-for-room.ts';

/** The messages of a conversation that were there when a turn began, by number, `to` not included. */
export interface History {
  readonly conversation: string;
  readonly from: number;
  readonly to: number;
}

/** A task that ends its turn wakes the next one; one that died is noticed after so long. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Waits until it is the task's turn to add to a conversation: one task at a time, in the order in which they came.
 * Errors: `conversation_not_found`, `limit_pending` where too many wait.
 */
export function* beginTurn(conversation: string): Program<History> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    const turn = (yield { kind: 'turn', conversation }) as { waits: boolean; from: number; to: number };
    if (!turn.waits) return { conversation, from: turn.from, to: turn.to };
    yield* sleep(pause);
  }
}

/** What the effect `append` gives back. */
interface Appended {
  readonly conversationId: string;
}

/**
 * Ends a turn: adds its messages to the conversation, once, and lets the next task in. A turn outside of any conversation begins one.
 * It waits for room, as a change of a project does. Returns the conversation's id. Errors: `conversation_not_found`, `limit_storage`.
 */
export function* endTurn(history: History | undefined, messages: readonly Message[]): Program<string> {
  const conversation = history?.conversation;
  const title = titleOf(messages);
  const { conversationId } = yield* waitForRoom(() => append({ conversation, title, messages }));
  return conversationId;
}

function* append(turn: Omit<Extract<Effect, { kind: 'append' }>, 'kind'>): Program<Appended> {
  return (yield { kind: 'append', ...turn }) as Appended;
}

/** Leaves a conversation as it was: the turn failed. */
export function* abandonTurn(history: History): Program<void> {
  yield { kind: 'append', conversation: history.conversation, title: '', messages: [] };
}

const TITLE_LENGTH = 80;

function titleOf([first]: readonly Message[]): string {
  const words = first === undefined ? '' : messageText(first);
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, TITLE_LENGTH).toWellFormed();
}
