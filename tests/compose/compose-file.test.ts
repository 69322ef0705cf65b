import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entrypointScript, findComposeWeaknesses, findNestedDefaults } from './compose-file.ts';

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
  [
    '127.0.0.1:${BATON_PROMETHEUS_PORT',
    '${BATON_BIND:-127.0.0.1}:${BATON_PROMETHEUS_PORT',
    'prometheus is open at ${BATON_BIND:-127.0.0.1}:${BATON_PROMETHEUS_PORT:-9090}:9090',
  ],
  ['${BATON_CADDY_IMAGE:-caddy:2}', 'caddy:2', 'the image of caddy cannot be pinned'],
  ['requirepass %s', '', 'Redis takes commands without a password'],
  ['${BATON_REDIS_PASSWORD:?', '${BATON_REDIS_PASSWORD:-', 'gateway starts without a password of Redis'],
])('without %j the check finds it', (from, to, found) => {
  expect(TEXT).toContain(from);
  expect(findComposeWeaknesses(TEXT.replace(from, to))).toContain(found);
});

test('no default of a variable names another variable: docker-compose 1.29 takes it as text', () => {
  expect(findNestedDefaults(TEXT)).toEqual([]);
  expect(findNestedDefaults('A: ${A:-x}\nB: ${B:-${A}}\nC: ${C:-http://$A}')).toEqual([
    '${B:-${A',
    '${C:-http://$A',
  ]);
});

/** What the container of a service sets `variable` to before it starts its program. */
function exported(service: string, variable: string, environment: Record<string, string>): string {
  const script = entrypointScript(TEXT, service).replace(/exec .+$/, `printf %s "$${variable}"`);
  return execFileSync('sh', ['-c', script], { env: environment, encoding: 'utf8' });
}

test("Grafana's password is the operator token only where no password of its own is set", () => {
  const password = (own: object) =>
    exported('grafana', 'GF_SECURITY_ADMIN_PASSWORD', { BATON_OPERATOR_TOKEN: 'token', ...own });
  expect(password({})).toBe('token');
  expect(password({ BATON_GRAFANA_PASSWORD: '' })).toBe('token');
  expect(password({ BATON_GRAFANA_PASSWORD: 'own' })).toBe('own');
});

test('the address that replies name follows BATON_PORT where no other is set', () => {
  const address = (own: object) =>
    exported('gateway', 'BATON_PUBLIC_URL', { PUBLISHED_PORT: '9000', ...own });
  expect(TEXT).toContain('PUBLISHED_PORT: ${BATON_PORT:-8080}');
  expect(address({})).toBe('http://127.0.0.1:9000');
  expect(address({ BATON_PUBLIC_URL: 'https://baton.example' })).toBe('https://baton.example');
});
