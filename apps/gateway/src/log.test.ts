import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createLogger } from './log.ts';

test('a log line never holds a credential, a prompt or an answer', async () => {
  const lines = new PassThrough();
  const log = createLogger('info', { role: 'test' }, lines);
  const secret = 'hush';
  log.info({ req: { headers: { authorization: `Bearer ${secret}` } } }, 'request');
  log.warn({ deployment: { apiKey: secret, token: secret, secret } }, 'started');
  log.error(
    { call: { messages: [{ role: 'user', content: secret }], answer: secret, prd: secret } },
    'failed',
  );
  lines.end();
  const said = await text(lines);
  expect(said.match(/\[redacted\]/g)).toHaveLength(7);
  expect(said).not.toContain(secret);
});

test('a logged error has no arguments of Redis commands and no password of a URL', async () => {
  const lines = new PassThrough();
  const log = createLogger('info', { role: 'test' }, lines);
  const failed = Object.assign(new Error('ERR at redis://me:hush@one:1'), {
    name: 'ReplyError',
    command: { name: 'evalsha', args: ['hush'] },
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED', args: ['hush'] }),
  });
  log.error({ err: failed }, 'failed');
  lines.end();
  const said = await text(lines);
  expect(said).not.toContain('hush');
  expect(JSON.parse(said).err).toMatchObject({
    type: 'ReplyError',
    message: 'ERR at redis://me:***@one:1',
    cause: { type: 'Error', code: 'ECONNREFUSED', message: 'refused' },
  });
});
