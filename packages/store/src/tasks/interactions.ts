import { type AnswerUsage, parseInteractionId, type Scope } from '@baton/protocol';
import { type Identity, formatScopes } from '../identity/identity.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { taskRef } from '../records/keys.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { ACCEPT_ANSWER, APPEND_CHUNK, EXTEND_INTERACTION, READ_CHUNK_STATE } from '../scripts/registry.ts';
import { utcDay } from '../usage/utc-day.ts';
import { runCancel } from './tasks.ts';

export type Accepted = { readonly replayed: boolean; readonly event: number; readonly taskId: string };

/** So many chunks are read by one command. */
const CHUNKS_PER_READ = 500;

const ANSWER: readonly Scope[] = ['mcp', 'agent'];

/** A tenant's interactions: requests that wait for an agent's or a person's answer. */
export class Interactions {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** Accepts the answer to an interaction; `channel`, an inbox's, is notified when the task's state changes. */
  async accept(
    caller: CallerAdmission,
    answer: {
      interactionId: string;
      text: string;
      fingerprint: string;
      channel: string;
      usage?: AnswerUsage;
    },
  ): Promise<Accepted> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(answer.interactionId);
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const { digest, principal, scopes, need, bytes, weight, floor } = await caller.admissionArgs(
      ANSWER,
      answer.interactionId,
    );
    const { inputTokens = '', outputTokens = '', model = '' } = answer.usage ?? {};
    const usageOfToday = keys.usage(utcDay(Date.now()));
    const allKeys = keys.scriptKeys(names, caller.credentialKey, '', usageOfToday);
    const reply = await runScript(connection, ACCEPT_ANSWER, allKeys, {
      digest,
      principal,
      scopes,
      need,
      bytes,
      weight,
      floor,
      topic,
      ref,
      number,
      answer: answer.text,
      fingerprint: answer.fingerprint,
      channel: answer.channel,
      used: `${inputTokens};${outputTokens};${model}`,
    });
    caller.recordAdmission(reply);
    if (reply[0] === 'accepted') caller.recordExpiry(reply[3]);
    if (reply[0] !== 'accepted' && reply[0] !== 'replayed') {
      throw refusalError(reply, { interactionId: answer.interactionId });
    }
    if (reply[0] === 'accepted') this.context.addJob(String(reply[2]), taskId);
    if (reply[4] === 1) this.dropChunks(taskId, number);
    return { replayed: reply[0] === 'replayed', event: Number(reply[1]), taskId };
  }

  /** Stores one chunk of a streamed answer. */
  async appendChunk(
    caller: CallerAdmission,
    chunk: { interactionId: string; sequence: number; delta: string },
  ): Promise<'kept' | 'replayed'> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(chunk.interactionId);
    const reply = await runScript(
      connection,
      APPEND_CHUNK,
      {
        ...keys.scriptKeys(keys.taskNames(taskId), caller.credentialKey),
        chunks: keys.chunks(taskId, number),
      },
      {
        ...(await caller.admissionArgs(ANSWER, chunk.interactionId)),
        number,
        sequence: chunk.sequence,
        delta: chunk.delta,
      },
    );
    caller.recordAdmission(reply);
    if (reply[0] === 'kept' || reply[0] === 'replayed') return reply[0];
    throw refusalError(reply, { interactionId: chunk.interactionId });
  }

  /**
   * The text of a streamed answer, or the first sequence that is missing of it, found without reading a chunk; undefined
   * when none was posted. The caller must have been admitted.
   */
  async joinChunks(id: string): Promise<{ text: string } | { missing: number } | undefined> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(id);
    const stream = { task: keys.task(taskId), chunks: keys.chunks(taskId, number) };
    let [chunks, missing] = [0, 0];
    for (let more = true; more; ) {
      const reply = await runScript(connection, READ_CHUNK_STATE, stream, { number, from: missing });
      [chunks, missing] = [Number(reply[1]), Number(reply[2])];
      more = reply[3] === 1;
    }
    if (chunks === 0) return undefined;
    if (missing < chunks) return { missing };
    const pieces: string[] = [];
    for (let from = 0; from < chunks; from += CHUNKS_PER_READ) {
      const length = Math.min(CHUNKS_PER_READ, chunks - from);
      const sequences = Array.from({ length }, (_, at) => `${from + at}`);
      const read = await connection.command((client) => client.hmget(stream.chunks, ...sequences));
      // An answer that was accepted meanwhile has dropped them; its own refusal says so.
      pieces.push(...read.map((piece) => piece ?? ''));
    }
    return { text: pieces.join('') };
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

  /** They expire by themselves should this fail. */
  private dropChunks(taskId: string, number: number): void {
    const { keys, connection } = this.context;
    connection.command((client) => client.unlink(keys.chunks(taskId, number))).catch(() => {});
  }

  private parseId(id: string): { taskId: string; number: number } {
    const parsed = parseInteractionId(id);
    if (parsed === undefined) throw refusalError(['interaction_not_found'], { interactionId: id });
    return parsed;
  }
}
