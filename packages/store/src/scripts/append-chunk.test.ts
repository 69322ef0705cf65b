import { formatInteractionId } from '@baton/protocol';
import { expect, test, vi } from 'vitest';
import { DEFAULT_LIFETIMES } from '../records/durations.ts';
import { ACCEPT_ANSWER, APPEND_CHUNK } from './registry.ts';
import { ALL_SCRIPTS, type AnyScript, documentedReplyCodes } from '../testing/all-scripts.ts';
import { mutateScript } from '../testing/script-mutation.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, BOB, errorCode, llmWait, type TestTenant } from '../testing/test-tenant.ts';

/** Chunks of a streamed answer: kept in any order, counted by what they cost, joined without reading what is not there. */
const fixture = await openFixture();
const { recorder, redis } = fixture;

class StreamedAnswer {
  readonly testTenant: TestTenant;
  readonly taskId: string;
  readonly id: string;

  private constructor(testTenant: TestTenant, taskId: string) {
    this.testTenant = testTenant;
    this.taskId = taskId;
    this.id = formatInteractionId(taskId, 1);
  }

  static async open(limits: { answerBytes?: number } = {}): Promise<StreamedAnswer> {
    const testTenant = await fixture.createTenant(limits);
    return new StreamedAnswer(testTenant, await testTenant.openTask());
  }

  async post(sequence: number, delta: string, stream = 0): Promise<string> {
    const caller = await this.testTenant.caller();
    const chunk = { interactionId: this.id, stream, sequence, delta };
    return errorCode(this.testTenant.interactions.appendChunk(caller, chunk));
  }

  async join(): Promise<{ text: string } | { missing: number } | undefined> {
    const joined = await this.testTenant.interactions.joinChunks(this.id);
    if (joined.chunks === 0) return undefined;
    return 'text' in joined ? { text: joined.text } : { missing: joined.missing };
  }

  read(known?: { stream: number; from: number }) {
    return this.testTenant.interactions.readStream(ANN, this.id, known);
  }
}

/** How often Redis has run these commands. */
async function commandCount(...names: string[]): Promise<number> {
  const text = await redis.info('commandstats');
  return names.reduce(
    (sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(text)?.[1] ?? 0),
    0,
  );
}

test('chunks are kept each once, in any order, and the final answer finds them', async () => {
  const answer = await StreamedAnswer.open({ answerBytes: 400 });
  expect(await answer.post(2, 'cc')).toBe('done');
  expect(await answer.post(0, 'a'.repeat(200))).toBe('done');
  expect(await answer.post(0, 'a'.repeat(200)), 'the same again changes nothing').toBe('done');
  expect(await answer.post(0, 'other'), 'the first one counts').toBe('invalid_arguments');
  expect(await answer.post(1, 'b'.repeat(137))).toBe('limit_size');
  expect(recorder.last(APPEND_CHUNK)).toEqual(['limit_size', 'answerBytes', 401, '400']);
  expect(await answer.post(1, 'bbb')).toBe('done');
  expect(await answer.post(1, 'bbb'), 'the same again is kept, full or not').toBe('done');
  expect(await answer.join()).toEqual({ text: `${'a'.repeat(200)}bbbcc` });
  await answer.testTenant.answer(answer.taskId);
  expect(await answer.join(), 'the answer stands in the journal').toBeUndefined();
  const record = await answer.testTenant.readRecord(answer.taskId);
  expect(Object.keys(record).filter((field) => field.startsWith('c'))).toEqual([]);
  expect(await answer.post(3, 'd')).toBe('interaction_already_answered');
  const segment = await fixture.loadSegment();
  expect([...segment.task.journal.keys()], 'a replay does not read them').toEqual(['0']);
});

test('an empty chunk counts as 64 bytes, so that their number is bounded by the size of the answer', async () => {
  const answer = await StreamedAnswer.open({ answerBytes: 64 * 20 });
  for (let sequence = 0; sequence < 20; sequence++) expect(await answer.post(sequence, '')).toBe('done');
  expect(await answer.post(20, '')).toBe('limit_size');
  expect(await answer.join()).toEqual({ text: '' });
});

test('the first missing chunk is named, whichever order the others came in', async () => {
  const answer = await StreamedAnswer.open();
  expect(await answer.join()).toBeUndefined();
  const missing: (number | undefined)[] = [];
  for (const sequence of [4, 1, 0, 2, 6, 3]) {
    await answer.post(sequence, `${sequence}`);
    const joined = await answer.join();
    missing.push(joined && 'missing' in joined ? joined.missing : undefined);
  }
  expect(missing).toEqual([0, 0, 2, 3, 3, 5]);
  await answer.post(5, '5');
  expect(await answer.join()).toEqual({ text: '0123456' });
});

test('a gap is found without reading a chunk or a request, however many there are', async () => {
  const answer = await StreamedAnswer.open();
  await redis.hset(
    answer.testTenant.keys.chunks(answer.taskId, 1),
    Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`${at + 1}`, ''])),
  );
  await redis.hset(answer.testTenant.keys.task(answer.taskId), 'c1', `${64 * 8_000};8000;0;0`);
  const commands = () => commandCount('hget', 'hmget', 'hgetall', 'hkeys', 'hexists');
  const before = await commands();
  expect(await answer.join()).toEqual({ missing: 0 });
  expect((await commands()) - before, 'the state, and one look').toBe(2);
});

test('chunks in order cost one look each, and whoever fills the gap passes what stands behind it once', async () => {
  const answer = await StreamedAnswer.open();
  for (let sequence = 49; sequence > 0; sequence--) await answer.post(sequence, 'x');
  const before = await commandCount('hexists');
  await answer.post(0, 'x');
  expect((await commandCount('hexists')) - before).toBe(49);
  for (let sequence = 50; sequence < 100; sequence++) await answer.post(sequence, 'x');
  expect((await commandCount('hexists')) - before, 'none for what comes in order').toBe(49);
  expect(await answer.join()).toEqual({ text: 'x'.repeat(100) });
});

test('thousands of chunks are passed in steps, and go with the answer at once', async () => {
  const answer = await StreamedAnswer.open();
  const { keys } = answer.testTenant;
  const chunks = keys.chunks(answer.taskId, 1);
  await answer.post(0, 'x');
  expect(await redis.pttl(chunks), 'no longer than the task').toBeLessThanOrEqual(DEFAULT_LIFETIMES.task);
  await redis.hset(chunks, Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`${at + 1}`, 'x'])));
  await redis.hset(keys.task(answer.taskId), 'c1', `${64 * 8_001};8001;0;0`);
  const before = await commandCount('evalsha');
  expect(await answer.join()).toEqual({ text: 'x'.repeat(8_001) });
  expect((await commandCount('evalsha')) - before, 'a thousand each').toBe(9);
  await answer.testTenant.answer(answer.taskId);
  await expect.poll(() => redis.exists(chunks)).toBe(0);
});

test("a chunk is refused for what is not pending, and what is not the caller's", async () => {
  const testTenant = await fixture.createTenant();
  const chunk = async (taskId: string, number = 1, principal = 'ann') => {
    const caller = await testTenant.caller(principal);
    return errorCode(
      testTenant.interactions.appendChunk(caller, {
        interactionId: formatInteractionId(taskId, number),
        sequence: 0,
        delta: 'x',
      }),
    );
  };
  const pending = await testTenant.openTask();
  expect(await chunk(pending, 2)).toBe('interaction_not_found');
  expect(await chunk(pending, 1, 'bob')).toBe('interaction_not_found');
  expect(await chunk(await testTenant.withLifetimes({ interaction: 0 }).openTask())).toBe(
    'interaction_expired',
  );
  await testTenant.tasks.cancel(ANN, pending);
  expect(await chunk(pending)).toBe('interaction_cancelled');
});

test('a task that waits for several answers is read with the first request, and the others in short', async () => {
  const testTenant = await fixture.createTenant();
  const waits = Array.from({ length: 32 }, (_, at) => llmWait(`${at}`, 'x'.repeat(20_000)));
  const taskId = await testTenant.openTask({ waits });
  const view = await testTenant.tasks.read(ANN, taskId);
  const pending = view.status === 'input_required' ? view.pending : [];
  expect(pending.map(({ interactionId }) => interactionId)).toEqual(
    waits.map((_, at) => formatInteractionId(taskId, at + 1)),
  );
  expect(JSON.stringify(pending[0])).toContain('xxxx');
  expect(JSON.stringify(pending.slice(1)).length).toBeLessThan(32 * 400);
});

test('what is read of a stream ends before the first gap, and goes on where a reader has come to', async () => {
  const answer = await StreamedAnswer.open();
  expect(await answer.read()).toEqual({ stream: 0, posted: 0, chunks: 0, first: 0, text: '' });
  for (const sequence of [0, 1, 3]) await answer.post(sequence, `<${sequence}>`);
  expect(await answer.read()).toEqual({ stream: 0, posted: 3, chunks: 2, first: 0, text: '<0><1>' });
  expect(await answer.read({ stream: 0, from: 1 })).toMatchObject({ chunks: 2, first: 1, text: '<1>' });
  expect(await answer.read({ stream: 0, from: 2 })).toMatchObject({ chunks: 2, text: '' });
  await answer.post(2, '<2>');
  expect(await answer.read({ stream: 0, from: 2 })).toMatchObject({ chunks: 4, first: 2, text: '<2><3>' });
  expect(await errorCode(answer.testTenant.interactions.readStream(BOB, answer.id)), 'not by others').toBe(
    'interaction_not_found',
  );
});

test('of a long stream the last 32 KiB are read, whole characters all of them', async () => {
  const answer = await StreamedAnswer.open();
  for (let sequence = 0; sequence < 5; sequence++) await answer.post(sequence, `x${'€'.repeat(4_000)}`);
  const { text, chunks, first } = await answer.read();
  expect([chunks, first]).toEqual([5, 2]);
  expect(text).toMatch(/^€+x€+x€+$/);
  expect(Buffer.byteLength(text)).toBeGreaterThan(32_768 - 3);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_768);
});

test('a stream with a higher number begins anew, and nothing of the one before is in it or counted', async () => {
  const answer = await StreamedAnswer.open();
  const { testTenant } = answer;
  const used = async () => Number(await redis.hget(testTenant.keys.tenant, 'stored'));
  await answer.post(0, 'new', 0);
  const ofOne = await used();
  await answer.post(1, 'er than this'.repeat(50), 0);
  expect(await answer.post(1, 'more', 2)).toBe('done');
  expect(recorder.last(APPEND_CHUNK)).toEqual(['kept']);
  expect(await answer.join()).toEqual({ missing: 0 });
  expect(await answer.post(0, 'once ', 2)).toBe('done');
  expect(await answer.post(0, 'once ', 2), 'the same again').toBe('done');
  expect(await answer.post(2, 'late', 0), 'a chunk of the stream before').toBe('invalid_arguments');
  expect(recorder.last(APPEND_CHUNK)).toEqual(['stream_replaced', 2]);
  expect(await answer.post(0, 'other', 2)).toBe('invalid_arguments');
  expect(recorder.last(APPEND_CHUNK)).toEqual(['chunk_conflict', '0', 2]);
  expect(await answer.join()).toEqual({ text: 'once more' });
  expect(await answer.read({ stream: 0, from: 2 })).toMatchObject({
    stream: 2,
    chunks: 2,
    text: 'once more',
  });
  expect((await used()) - ofOne).toBe(128);
  expect((await testTenant.readRecord(answer.taskId))['c1']).toBe('128;2;2;0;2');
});

test('chunks are for requests of streamed text alone', async () => {
  const testTenant = await fixture.createTenant();
  const wait = llmWait('0');
  if (wait.kind === 'sleep') throw new Error('no LLM request');
  const call = { ...wait.request.call, serviceType: 'generateText' as const };
  const taskId = await testTenant.openTask({ waits: [{ ...wait, request: { ...wait.request, call } }] });
  const interactionId = formatInteractionId(taskId, 1);
  const chunk = testTenant.interactions.appendChunk(await testTenant.caller(), {
    interactionId,
    sequence: 0,
    delta: 'x',
  });
  expect(await errorCode(chunk)).toBe('invalid_arguments');
  expect(recorder.last(APPEND_CHUNK)).toEqual(['not_streamed']);
});

test('an answer that is to be held against chunks is accepted against just the chunks that it was held against', async () => {
  const answer = await StreamedAnswer.open();
  const { interactions } = answer.testTenant;
  const accept = async (checked: string) => {
    const posted = { interactionId: answer.id, text: '"x"', fingerprint: 'f', channel: '', checked };
    return interactions.accept(await answer.testTenant.caller(), posted);
  };
  await answer.post(0, 'x');
  expect(await accept('')).toBe('streamed');
  const { state } = await interactions.joinChunks(answer.id);
  await answer.post(1, 'y');
  expect(await accept(state), 'a chunk came meanwhile').toBe('streamed');
  expect((await answer.testTenant.tasks.read(ANN, answer.taskId)).usage).toBeUndefined();
  expect(await accept((await interactions.joinChunks(answer.id)).state)).toMatchObject({ replayed: false });
  expect(await accept('')).toMatchObject({ replayed: true });
});

test('of chunks in a row a change is published with the first, and again once a quarter of a second is over', async () => {
  const answer = await StreamedAnswer.open();
  const { changes } = answer.testTenant.store;
  const streamed: unknown[] = [];
  const unsubscribe = await changes.subscribe({
    onChange: (change) => change.kind === 'task' && change.streamed && streamed.push(change),
    onReconnect: () => {},
  });
  const chunks = answer.testTenant.keys.chunks(answer.taskId, 1);
  const now = Number((await redis.time())[0]) * 1_000;
  /** How many changes a chunk publishes, where the last was published at `last`. */
  const published = async (sequence: number, last?: number) => {
    if (last !== undefined) await redis.hset(chunks, 'published', last);
    const before = await commandCount('publish');
    expect(await answer.post(sequence, 'x')).toBe('done');
    return (await commandCount('publish')) - before;
  };
  expect(await published(0)).toBe(1);
  for (let sequence = 1; sequence < 50; sequence++)
    expect(await published(sequence, now + 3_600_000)).toBe(0);
  expect(await published(50, now - 250)).toBe(1);
  expect(await published(52, now - 250), 'there is no more to read').toBe(0);
  await vi.waitFor(() => expect(streamed).toHaveLength(2));
  expect(streamed[0]).toMatchObject({ taskId: answer.taskId, principal: 'ann', listed: false });
  unsubscribe();
});

test('a chunk for which the tenant has no room is refused, the whole answer is not, and chunks give back what they took', async () => {
  const answer = await StreamedAnswer.open();
  const { testTenant } = answer;
  const used = async () => Number(await redis.hget(testTenant.keys.tenant, 'stored'));
  const parked = await used();
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: parked + 2_000 } });
  expect(await answer.post(0, 'x'.repeat(1_500))).toBe('done');
  expect(await answer.post(1, 'x'.repeat(1_500))).toBe('limit_storage');
  expect(await used()).toBeGreaterThan(parked + 1_500);
  await testTenant.answer(answer.taskId, 1, { text: JSON.stringify('y'.repeat(5_000)) });
  expect((await used()) - parked).toBeLessThan(5_000 + 300);
});

/** What a stream that was begun anew is joined to, and whether a text that nobody held against its chunks is accepted. */
async function mixUp(mutant?: AnyScript): Promise<{ joined: unknown; accepted: boolean }> {
  const { connection } = fixture;
  const evaluate = connection.evaluate.bind(connection);
  const spy = vi.spyOn(connection, 'evaluate').mockImplementation((script, keys, args) => {
    const isMutated = mutant !== undefined && ALL_SCRIPTS.get(script.sha)?.name === mutant.name;
    return evaluate(isMutated ? { ...script, ...mutant } : script, keys, args);
  });
  try {
    const answer = await StreamedAnswer.open();
    await answer.post(0, 'first', 0);
    await answer.post(1, ' try', 0);
    await answer.post(0, 'second', 1);
    await answer.post(2, ' late', 0);
    const joined = await answer.join();
    const posted = { interactionId: answer.id, text: '"other"', fingerprint: 'f', channel: '', checked: '' };
    const accepted = await answer.testTenant.interactions.accept(await answer.testTenant.caller(), posted);
    return { joined, accepted: accepted !== 'streamed' };
  } finally {
    spy.mockRestore();
  }
}

const UNMIXED = { joined: { text: 'second' }, accepted: false };

test('two tries never mix, and no text is accepted that was not held against the chunks', async () => {
  expect(await mixUp()).toEqual(UNMIXED);
});

test.each([
  [
    'a higher stream drops the chunks before',
    mutateScript(
      APPEND_CHUNK,
      ["if begins_anew then redis.call('UNLINK', K_chunks) end", ''],
      ['state, missing_before = read_chunk_state(), 0', 'missing_before = 0'],
    ),
  ],
  [
    'a chunk of an earlier stream is refused',
    mutateScript(APPEND_CHUNK, ["if stream < current then return {'stream_replaced', current} end", '']),
  ],
  [
    'an answer is held against the chunks',
    mutateScript(ACCEPT_ANSWER, ["return {'streamed', principal, scopes}", 'local held = true']),
  ],
] as const)('without it the tries mix: %s (a mutation)', async (_what, mutant) => {
  expect(await mixUp(mutant)).not.toEqual(UNMIXED);
});

test('every code of APPEND_CHUNK was reached, but for those of the admission', () => {
  const admission = ['insufficient_scope', 'limit_rate', 'tenant_suspended', 'unauthenticated'];
  expect(recorder.codes(APPEND_CHUNK)).toEqual(
    documentedReplyCodes(APPEND_CHUNK).filter((code) => !admission.includes(code)),
  );
});
