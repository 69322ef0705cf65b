import { type AnswerUsage, formatInteractionId, parseInteractionId, type Scope } from '@baton/protocol';
import { type Identity, formatScopes, parseScopes } from '../identity/identity.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { taskRef } from '../records/keys.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import {
  ACCEPT_ANSWER,
  APPEND_CHUNK,
  EXTEND_INTERACTION,
  READ_CHUNK_STATE,
  READ_STREAM,
} from '../scripts/registry.ts';
import { formatAnswerUsage } from '../records/usage-sums.ts';
import { utcDay } from '../usage/utc-day.ts';
import { runCancel } from './tasks.ts';

export type Accepted = {
  readonly replayed: boolean;
  readonly event: number;
  readonly taskId: string;
  /** How long its LLM request waited for it, in milliseconds. */
  readonly waitedMs?: number;
  /** Of the request that started the task, if that was traced. */
  readonly traceparent?: string;
};

/** An answer to another interaction of the task, which the same request brings. */
export interface AnswerBeside {
  readonly interactionId: string;
  readonly fingerprint: string;
}

/** A streamed answer as it was posted: whole, or up to the first chunk that is missing. */
export type JoinedChunks = {
  /** As scripts write it; '' where no chunk was posted. */
  readonly state: string;
  readonly stream: number;
  readonly chunks: number;
} & ({ readonly text: string } | { readonly missing: number });

/** What there is to read of a streamed answer. */
export interface StreamSoFar {
  /** Which try to stream it this is, from 0. */
  readonly stream: number;
  /** How many chunks were posted, those behind a gap included. */
  readonly posted: number;
  /** How many there are without a gap. */
  readonly chunks: number;
  /** The chunk that `text` begins with, or in which it does. */
  readonly first: number;
  readonly text: string;
}

/** So many chunks are read by one command. */
const CHUNKS_PER_READ = 500;

const ANSWER: readonly Scope[] = ['mcp', 'agent'];

/** A tenant's interactions: requests that wait for an agent's or a person's answer. */
export class Interactions extends TenantPart {
  /**
   * Accepts the answer to an interaction; `channel`, an inbox's, is notified when the task's state changes. `checked` is the state of
   * the chunks that the answer was held against, '' before it was: without it there is nothing to hold it against. Where there are
   * chunks that it was not held against, it is not accepted: 'streamed'. `beside` are the answers to other interactions of the task that
   * come with it: it is refused where the caller has answered one of these otherwise (`interaction_already_answered`, of that one).
   */
  async accept(
    caller: CallerAdmission,
    answer: {
      interactionId: string;
      text: string;
      fingerprint: string;
      beside?: readonly AnswerBeside[];
      channel: string;
      usage?: AnswerUsage;
      checked?: string;
    },
  ): Promise<Accepted | 'streamed'> {
    const { keys } = this.context;
    const { taskId, number } = this.parseId(answer.interactionId);
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const { digest, principal, scopes, need, bytes, weight, floor } = await caller.admissionArgs(
      ANSWER,
      answer.interactionId,
    );
    const own = {
      ...names,
      credential: caller.credentialKey,
      usage: keys.usage(utcDay(this.context.connection.clock.now())),
    };
    const reply = await runScript(this.context, ACCEPT_ANSWER, own, {
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
      beside: (answer.beside ?? [])
        .map((one) => `${this.parseId(one.interactionId).number} ${one.fingerprint};`)
        .join(''),
      channel: answer.channel,
      used: formatAnswerUsage(answer.usage),
      checked: answer.checked ?? '*',
    });
    caller.recordAdmission(reply, reply[0] === 'accepted' ? reply[4] : reply[0] === 'replayed' && reply[2]);
    if (reply[0] === 'streamed') {
      caller.setIdentity({ principal: String(reply[1]), scopes: parseScopes(String(reply[2])) });
      return 'streamed';
    }
    if (reply[0] === 'accepted') caller.recordExpiry(reply[3]);
    if (reply[0] !== 'accepted' && reply[0] !== 'replayed') {
      // That of one beside it names the interaction.
      const refused = reply[0] === 'interaction_already_answered' ? Number(reply[2] ?? number) : number;
      throw refusalError(reply, { interactionId: formatInteractionId(taskId, refused) });
    }
    if (reply[0] === 'accepted') this.context.addJob(String(reply[2]), taskId);
    if (reply[7] === 1) this.dropChunks(taskId, number);
    const event = Number(reply[1]);
    if (reply[0] === 'replayed') return { replayed: true, event, taskId };
    const [took, traceparent] = [reply[5], reply[6]];
    return {
      replayed: false,
      event,
      taskId,
      ...(took !== '' && { waitedMs: Number(took) }),
      ...(traceparent !== '' && { traceparent: String(traceparent) }),
    };
  }

  /** Stores one chunk of a streamed answer; `stream` numbers the tries to stream it, from 0. Errors: the refusals of APPEND_CHUNK. */
  async appendChunk(
    caller: CallerAdmission,
    chunk: { interactionId: string; stream?: number; sequence: number; delta: string },
  ): Promise<'kept' | 'replayed'> {
    const { keys } = this.context;
    const { taskId, number } = this.parseId(chunk.interactionId);
    const names = keys.taskNames(taskId);
    const reply = await runScript(
      this.context,
      APPEND_CHUNK,
      { ...names, credential: caller.credentialKey, chunks: keys.chunks(taskId, number) },
      {
        ...(await caller.admissionArgs(ANSWER)),
        topic: names.topic,
        number,
        stream: chunk.stream ?? 0,
        sequence: chunk.sequence,
        delta: chunk.delta,
      },
    );
    caller.recordAdmission(reply);
    if (reply[0] === 'kept' || reply[0] === 'replayed') return reply[0];
    throw refusalError(reply, { interactionId: chunk.interactionId });
  }

  /**
   * The text of a streamed answer, or the first sequence that is missing of it, found without reading a chunk. `state` is what
   * `accept` takes as `checked`. The caller must have been admitted.
   */
  async joinChunks(id: string): Promise<JoinedChunks> {
    const { keys, connection } = this.context;
    const { taskId, number } = this.parseId(id);
    const stream = { task: keys.task(taskId), chunks: keys.chunks(taskId, number) };
    let [chunks, missing, state, numbered] = [0, 0, '', 0];
    for (let more = true; more; ) {
      const reply = await runScript(this.context, READ_CHUNK_STATE, stream, { number, from: missing });
      [chunks, missing, numbered] = [Number(reply[1]), Number(reply[2]), Number(reply[5])];
      state = String(reply[4]);
      more = reply[3] === 1;
    }
    const facts = { state, stream: numbered, chunks };
    if (missing < chunks) return { ...facts, missing };
    const pieces: string[] = [];
    for (let from = 0; from < chunks; from += CHUNKS_PER_READ) {
      const length = Math.min(CHUNKS_PER_READ, chunks - from);
      const sequences = Array.from({ length }, (_, at) => `${from + at}`);
      const read = await connection.command((client) => client.hmget(stream.chunks, ...sequences));
      // What was accepted or begun anew meanwhile has dropped them: `accept` finds another state.
      pieces.push(...read.map((piece) => piece ?? ''));
    }
    return { ...facts, text: pieces.join('') };
  }

  /**
   * What there is to read of a streamed answer, from chunk `from` of `stream` on, or all of it where another stream took its place.
   * Errors: `interaction_not_found`, those of an admission that ended.
   */
  async readStream(identity: Identity, id: string, known = { stream: 0, from: 0 }): Promise<StreamSoFar> {
    const { keys } = this.context;
    const { taskId, number } = this.parseId(id);
    const reply = await runScript(
      this.context,
      READ_STREAM,
      {
        credential: credentialOf(identity, keys),
        task: keys.task(taskId),
        chunks: keys.chunks(taskId, number),
      },
      { ...admissionRecheckArgs(identity), number, ...known },
    );
    if (reply[0] !== 'ok') throw refusalError(reply, { interactionId: id });
    const [stream = 0, posted = 0, missing = 0, first = 0] = reply.slice(1, 5).map(Number);
    return { stream, posted, chunks: missing, first, text: String(reply[5]) };
  }

  /**
   * Takes back one interaction of one's own, or with the scope `admin` of another; its task goes on with the error `interaction_cancelled`.
   */
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

  /** Sets a pending interaction's deadline to `life` milliseconds from now, at most its task's deadline, and no earlier one for who may not take it back; returns it. */
  async extend(identity: Identity, id: string, life: number): Promise<number> {
    const { keys } = this.context;
    const { taskId, number } = this.parseId(id);
    const reply = await runScript(
      this.context,
      EXTEND_INTERACTION,
      { task: keys.task(taskId) },
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
