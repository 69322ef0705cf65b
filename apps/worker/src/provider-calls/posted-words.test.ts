import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type PostChunk, PostedWords } from './posted-words.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What was stored, by a store that fails or refuses as it is told. */
function store(replies: ('kept' | 'refused' | Error)[] = []) {
  const sent: string[] = [];
  const post: PostChunk = async (sequence, delta) => {
    sent.push(`${sequence}:${delta}`);
    const reply = replies.shift() ?? 'kept';
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { sent, words: new PostedWords(post) };
}

test('the words of 200 ms are one chunk, and nothing is stored where nothing came', async () => {
  const { sent, words } = store();
  for (const piece of ['Once', ' upon', ' a', ' time']) {
    words.add(piece);
    await vi.advanceTimersByTimeAsync(90);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual(['0:Once upon a', '1: time']);
});

test('a chunk never ends within a character, nor has it more than 16,384', async () => {
  const { sent, words } = store();
  words.add(`a${'😀'.repeat(10_000)}\ud83d`);
  await vi.advanceTimersByTimeAsync(1_000);
  words.add('\ude00');
  await vi.advanceTimersByTimeAsync(1_000);
  const deltas = sent.map((one) => one.replace(/^\d+:/, ''));
  expect(deltas.join('')).toBe(`a${'😀'.repeat(10_001)}`);
  for (const delta of deltas) {
    expect(delta.isWellFormed()).toBe(true);
    expect(delta.length).toBeLessThanOrEqual(16_384);
  }
});

test('a chunk whose reply was lost is sent again as it was, though more has come', async () => {
  const { sent, words } = store([new Error('lost')]);
  words.add('one ');
  await vi.advanceTimersByTimeAsync(200);
  words.add('two');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual(['0:one ', '0:one ', '1:two']);
});

test('nothing is stored after a refusal, nor after the end', async () => {
  const refused = store(['refused']);
  refused.words.add('one');
  await vi.advanceTimersByTimeAsync(1_000);
  refused.words.add('two');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refused.sent).toEqual(['0:one']);
  const ended = store();
  ended.words.add('one');
  expect(await ended.words.end('one')).toBe(true);
  ended.words.add('two');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended.sent).toEqual([]);
});

test('an answer holds if it begins with what was stored, or may have been', async () => {
  const { words } = store();
  words.add('Once');
  await vi.advanceTimersByTimeAsync(200);
  expect(await words.end('Once upon a time')).toBe(true);
  expect(await words.end('Never')).toBe(false);
  const lost = store([new Error('lost')]);
  lost.words.add('Once');
  await vi.advanceTimersByTimeAsync(200);
  expect(await lost.words.end('Never')).toBe(false);
});
