import { parseInteractionId, type Scope } from '@baton/protocol';
import { type Identity, formatScopes } from '../records/identity.ts';
import type { Caller } from '../tenant/caller.ts';
import { taskRef } from '../records/keys.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { ACCEPT, APPEND_CHUNK, EXTEND_INTERACTION } from '../scripts/registry.ts';
import { runCancel } from './tasks.ts';

export type Accepted = { readonly replayed: boolean; readonly event: number; readonly taskId: string };

const ANSWER: readonly Scope[] = ['mcp', 'agent'];

/** A tenant's interactions: requests that wait for an agent's or a person's answer. */
export class Interactions {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** Accepts the answer to an interaction; `channel`, an inbox's, is notified when the task's state changes. */
  async accept(
    caller: Caller,
    answer: { interactionId: string; text: string; fingerprint: string; channel: string },
  ): Promise<Accepted> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(answer.interactionId);
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const { digest, principal, scopes, need, bytes, floor } = await caller.admissionArgs(ANSWER, 'answer');
    const reply = await runScript(connection, ACCEPT, keys.scriptKeys(names, caller.credentialKey), {
      digest,
      principal,
      scopes,
      need,
      bytes,
      floor,
      topic,
      ref,
      number,
      answer: answer.text,
      fingerprint: answer.fingerprint,
      channel: answer.channel,
    });
    caller.recordAdmission(reply);
    if (reply[0] !== 'accepted' && reply[0] !== 'replayed') {
      throw refusalError(reply, { interactionId: answer.interactionId });
    }
    if (reply[0] === 'accepted') this.context.addJob(String(reply[2]), taskId);
    return { replayed: reply[0] === 'replayed', event: Number(reply[1]), taskId };
  }

  /** Stores one chunk of a streamed answer. */
  async appendChunk(
    caller: Caller,
    chunk: { interactionId: string; sequence: number; delta: string },
  ): Promise<'kept' | 'replayed'> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(chunk.interactionId);
    const reply = await runScript(
      connection,
      APPEND_CHUNK,
      { credential: caller.credentialKey, tenant: keys.record, task: keys.task(taskId) },
      {
        ...(await caller.admissionArgs(ANSWER, 'answer')),
        number,
        sequence: chunk.sequence,
        delta: chunk.delta,
      },
    );
    caller.recordAdmission(reply);
    if (reply[0] === 'kept' || reply[0] === 'replayed') return reply[0];
    throw refusalError(reply, { interactionId: chunk.interactionId });
  }

  /** The stored chunks of a streamed answer, by their sequence. The caller must have been admitted. */
  async readChunks(id: string): Promise<Map<number, string>> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(id);
    const fields = await connection.command((client) => client.hgetall(keys.task(taskId)));
    const mine = Object.entries(fields).filter(([field]) => field.startsWith(`c${number};`));
    return new Map(mine.map(([field, delta]) => [Number(field.split(';')[1]), delta]));
  }

  /** Cancels one interaction; its task goes on with the error `interaction_cancelled`. */
  async cancel(identity: Identity, id: string): Promise<void> {
    const { taskId, number } = this.parseId(id);
    const reply = await runCancel(
      this.context,
      identity,
      taskId,
      number,
      refusalError(['interaction_cancelled'], { interactionId: id }),
    );
    if (reply[0] === 'task_not_found') throw refusalError(['interaction_not_found'], { interactionId: id });
    if (reply[0] !== 'cancelled') throw refusalError(reply, { interactionId: id });
  }

  /** Sets a pending interaction's deadline to `life` milliseconds from now, at most its task's deadline; returns it. */
  async extend(identity: Identity, id: string, life: number): Promise<number> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(id);
    const reply = await runScript(
      connection,
      EXTEND_INTERACTION,
      {
        task: keys.task(taskId),
        deadlines: keys.deadlines,
        due: keys.shard.due,
        activeChangeChannel: keys.activeChangeChannel,
      },
      {
        principal: identity.principal,
        scopes: formatScopes(identity.scopes),
        topic: keys.topic(taskId),
        ref: taskRef(taskId),
        number,
        life,
      },
    );
    if (reply[0] !== 'extended') throw refusalError(reply, { interactionId: id });
    return Number(reply[1]);
  }

  /** The inbox topic of the task that an interaction belongs to. Errors: `interaction_not_found`. */
  topicOf(id: string): string {
    return this.context.keys.topic(this.parseId(id).taskId);
  }

  private parseId(id: string): { taskId: string; number: number } {
    const parsed = parseInteractionId(id);
    if (parsed === undefined) throw refusalError(['interaction_not_found'], { interactionId: id });
    return parsed;
  }
}
