import type { TenantContext } from '../tenant/tenant-context.ts';
import { taskIdFromRef } from '../records/keys.ts';
import { FIELD } from '../records/task-record.ts';
import { END_SLEEP } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';

/** Those of a conversation's queue that have ended, in its order: a task that is cancelled or expires does not leave by itself. */
export async function findEndedRefs(context: TenantContext, refs: readonly string[]): Promise<string[]> {
  const { keys, connection } = context;
  const statuses = await connection.command((client) =>
    Promise.all(refs.map((ref) => client.hget(keys.task(taskIdFromRef(ref)), FIELD.status))),
  );
  return refs.filter((_, at) => !isUnfinished(statuses[at]));
}

export function isUnfinished(status: string | null | undefined): boolean {
  return status === 'working' || status === 'input_required';
}

/** The operation whose tasks take turns in conversations. */
export const TURN_OPERATION = 'ask_assistant';

/** Whether a task, whose record names this program, takes turns in conversations. */
export function isTurn(program: string | null | undefined): boolean {
  return program?.startsWith(`${TURN_OPERATION} `) === true;
}

/** Wakes the first task that is left in the queue of the conversation whose turn a task had that has ended without leaving it. */
export async function wakeTurnAfter(context: TenantContext, taskId: string): Promise<void> {
  const { keys, connection } = context;
  const input = await connection.command((client) => client.hget(keys.task(taskId), FIELD.input));
  const { conversationId: conversation = taskId } = JSON.parse(input ?? '{}') as {
    readonly conversationId?: string;
  };
  const queue = await connection.command((client) => client.hget(keys.conversation(conversation), 'queue'));
  const refs = (queue ?? '').split(' ').filter(Boolean);
  const ended = new Set(await findEndedRefs(context, refs));
  const next = refs.find((ref) => !ended.has(ref));
  if (next !== undefined) await wakeTurn(context, next);
}

/** A task that is not woken, since it does not sleep yet, looks again by itself. */
export async function wakeTurn(context: TenantContext, ref: string): Promise<void> {
  const names = context.keys.taskNames(taskIdFromRef(ref));
  const reply = await runScript(context, END_SLEEP, names, {
    topic: names.topic,
    ref: names.ref,
  });
  if (reply[0] === 'ended') context.addJob(String(reply[1]));
}
