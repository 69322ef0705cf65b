import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { REDACTED, SecretRedaction } from './secret-redaction.ts';

const KEY = 'sk-a+b/c"d\\e%f.(g)';
const redaction = new SecretRedaction(KEY);

test.each([
  ['as it is', KEY],
  ['percent-encoded', encodeURIComponent(KEY)],
  ['percent-encoded in lower case', encodeURIComponent(KEY).toLowerCase()],
  ['percent-encoded as a whole', Array.from(KEY, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')],
  ['escaped in JSON', JSON.stringify(KEY).slice(1, -1)],
  ['in escapes of JSON', Array.from(KEY, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
  ['escaped in HTML', KEY.replace('"', '&quot;').replaceAll('+', '&#43;').replace('/', '&#x2F;')],
  ['in hexadecimal digits', Buffer.from(KEY).toString('hex').toUpperCase()],
  ['in Base64', Buffer.from(KEY).toString('base64')],
  ['in Base64 for URLs', Buffer.from(KEY).toString('base64url')],
])('a key %s is taken out', (_form, echoed) => {
  expect(redaction.text(`Bearer ${echoed} refused, ${echoed}`)).toBe(
    `Bearer ${REDACTED} refused, ${REDACTED}`,
  );
  expect(redaction.json({ [echoed]: [`x${echoed}x`, 7, null] })).toEqual({
    [REDACTED]: [`x${REDACTED}x`, 7, null],
  });
});

const LONG_KEY = 'sk-proj-?>?>~~SECRETsecret-abcdefghij0123456789';

test.each(['', 'x', 'xy', 'user:', 'Bearer '])(
  'a key in Base64 behind %j is taken out, whatever stands behind it',
  (before) => {
    for (const key of [KEY, LONG_KEY, `${LONG_KEY}a`, `${LONG_KEY}ab`])
      for (const after of ['', 'z', 'zz', ' and more'])
        for (const encoding of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(before + key + after).toString(encoding);
          const said = new SecretRedaction(key).text(encoded);
          expect(said).toContain(REDACTED);
          expect(Buffer.from(said.split(REDACTED)[0] ?? '', 'base64').toString()).not.toContain(
            key.slice(0, 2),
          );
          expect(Buffer.from(`${said.split(REDACTED)[1]}`, 'base64').length).toBeLessThan(after.length + 1);
        }
  },
);

test('the beginning of a long key is taken out, but not what providers begin all keys with', () => {
  const long = new SecretRedaction(LONG_KEY);
  for (const length of [16, 20, LONG_KEY.length - 1])
    expect(long.text(`key: ${LONG_KEY.slice(0, length)}... `)).toBe(`key: ${REDACTED}... `);
  for (const shown of ['sk-proj-', 'sk-proj-?>?>', LONG_KEY.slice(-8)]) expect(long.text(shown)).toBe(shown);
  const token = new SecretRedaction('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln');
  expect(token.text('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJz')).not.toContain(REDACTED);
});

test('nothing else is changed, and a word that is no secret is none', () => {
  expect(redaction.text(`${KEY.slice(0, -1)} sk-`)).toBe(`${KEY.slice(0, -1)} sk-`);
  expect(new SecretRedaction('none').text('none')).toBe('none');
  expect(new SecretRedaction(undefined).text('undefined')).toBe('undefined');
});

test.each([KEY, LONG_KEY])(
  'a stream never shows %s, however it is cut, and shows every word that has ended',
  (key) => {
    const redaction = new SecretRedaction(key);
    const base64 = Buffer.from(`x${key}`).toString('base64');
    const parts = [key, encodeURIComponent(key), base64, key.slice(0, 9), key.slice(0, 20)];
    const word = fc.constantFrom(...parts, 'x'.repeat(400), 'y'.repeat(900), 'word', 'ß');
    const text = fc
      .array(word, { maxLength: 12 })
      .chain((words) => fc.constantFrom(words.join(' '), words.join('')));
    const cuts = fc.array(fc.nat({ max: 30 }), { maxLength: 400 });
    fc.assert(
      fc.property(text, cuts, (whole, lengths) => {
        let shown = '';
        const add = redaction.stream((piece) => (shown += piece));
        let at = 0;
        for (const length of lengths) {
          add(whole.slice(at, at + length));
          at += length;
        }
        const clean = redaction.text(whole);
        expect(clean.startsWith(shown)).toBe(true);
        const said = redaction.text(whole.slice(0, at).replace(/[\x21-\x7e]*$/, ''));
        expect(shown.length).toBeGreaterThanOrEqual(said.length);
      }),
    );
  },
);

test('answers, their logprobs and errors come without the key', async () => {
  const asked = {} as DelegatedRequest;
  const { signal } = new AbortController();
  const logprobs = { content: [{ token: KEY.slice(0, 5) }, { token: KEY.slice(5) }] };
  const echo = redaction.answers(async () => ({ text: `It is ${KEY}`, logprobs }));
  expect(await echo(asked, { signal })).toEqual({ text: `It is ${REDACTED}` });
  const plain = redaction.answers(async () => ({ text: 'Yes', logprobs }));
  expect(await plain(asked, { signal })).toEqual({ text: 'Yes', logprobs });
  const cause = new Error(KEY);
  const failing = redaction.answers(async () => {
    throw new LlmCallFailure('rate_limit_error', `Slow down, ${KEY}`, {
      kind: 'passing',
      retryAfterMs: 7,
      cause,
    });
  });
  await expect(failing(asked, { signal })).rejects.toMatchObject({
    type: 'rate_limit_error',
    message: `Slow down, ${REDACTED}`,
    kind: 'passing',
    retryAfterMs: 7,
    cause: undefined,
  });
});

const REPEATED = `${'a'.repeat(1_999)}b`;

test.each([
  ['as it is', 'a'],
  ['percent-encoded', '%61'],
  ['in escapes of JSON', '\\u0061'],
  ['in references of HTML', '&#x61;'],
  ['in hexadecimal digits', '61'],
  ['in Base64', 'YWFh'],
])(
  'a long key that repeats itself is looked for %s in a text that is all beginnings of it',
  (_form, part) => {
    const text = part.repeat(400_000 / part.length);
    const said = new SecretRedaction(REPEATED).text(`${text} end`);
    expect(said.endsWith(' end')).toBe(true);
  },
);

test('a long word is passed on piece by piece, without the key in it', () => {
  let shown = '';
  const add = new SecretRedaction(REPEATED).stream((piece) => (shown += piece));
  for (let n = 0; n < 250_000; n++) add('xy');
  for (let at = 0; at < REPEATED.length; at += 2) add(REPEATED.slice(at, at + 2));
  for (let n = 0; n < 250_000; n++) add('xy');
  add(' ');
  const many = 'xy'.repeat(250_000);
  expect(shown).toBe(`${many}${REDACTED}${many} `);
});
