import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findComposeWeaknesses } from './compose-file.ts';

const TEXT = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');

test('no container has more than it needs, and only the front is open, to this machine', () => {
  expect(findComposeWeaknesses(TEXT)).toEqual([]);
});

test.each([
  ['  read_only: true', '', 'gateway may write its file system'],
  ['  cap_drop: [ALL]', '', 'redis has capabilities'],
  ['cap_add: [NET_BIND_SERVICE]', 'cap_add: [NET_ADMIN]', 'caddy has NET_ADMIN'],
  ['  security_opt: ["no-new-privileges:true"]', '', 'worker may gain privileges'],
  ['${BATON_BIND:-127.0.0.1}:', '', 'caddy is open at ${BATON_PORT:-8080}:8080'],
  ['${BATON_CADDY_IMAGE:-caddy:2}', 'caddy:2', 'the image of caddy cannot be pinned'],
  ['requirepass %s', '', 'Redis takes commands without a password'],
  ['${BATON_REDIS_PASSWORD:?', '${BATON_REDIS_PASSWORD:-', 'gateway starts without a password of Redis'],
])('without %j the check finds it', (from, to, found) => {
  expect(TEXT).toContain(from);
  expect(findComposeWeaknesses(TEXT.replace(from, to))).toContain(found);
});
