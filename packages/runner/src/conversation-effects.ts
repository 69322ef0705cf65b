import { formatEntry } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { LocalEffect } from './local-effect.ts';
import { type SegmentContext, StaleSegmentError } from './segment-context.ts';

/** Asks for the task's turn in a conversation, and adds the reply to the journal. */
export async function beginTurn(
  { segment, journal }: SegmentContext,
  path: string,
  conversation: string,
): Promise<void> {
  try {
    const value = await segment.turn.begin(conversation);
    if (value === 'stale') throw new StaleSegmentError();
    journal.add(path, { kind: 'turn', ok: true, value });
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || !isFinal(thrown)) throw thrown;
    journal.add(path, { kind: 'turn', ok: false, error: thrown.toWire() });
  }
}

/** Ends the task's turn: the messages and the journal are written by one script. */
export async function endTurn(
  { segment, journal }: SegmentContext,
  path: string,
  { conversation, title, messages }: Extract<LocalEffect, { kind: 'append' }>,
): Promise<void> {
  const conversationId = conversation ?? segment.taskId;
  const entry = formatEntry({ kind: 'append', ok: true, value: { conversationId } });
  try {
    const unsaved = journal.pendingWrite.journal;
    const reply = await segment.turn.end(conversationId, { path, entry, journal: unsaved, title, messages });
    if (reply === 'stale') throw new StaleSegmentError();
    journal.addCommitted(path, reply === 'ended' ? entry : reply.journaled);
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || !isFinal(thrown)) throw thrown;
    journal.add(path, { kind: 'append', ok: false, error: thrown.toWire() });
  }
}

/** A full queue refuses the call; its repeat is the caller's. */
function isFinal(error: BatonError): boolean {
  return error.code === 'limit_pending' || !error.row.repeat;
}
