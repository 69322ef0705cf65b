import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { describePortOfCompose, describeUnknownVariables } from './unknown-variables.ts';

test('a mistyped variable is named with the setting that it means, and its value is never shown', () => {
  const lines = describeUnknownVariables({
    BATON_INTERACTON_TTL_MS: 'hush',
    BATON_SECRT: 'hush',
    BATON_COLOUR: 'hush',
  });
  expect(lines).toEqual([
    'BATON_COLOUR is no setting of Baton, and is ignored: docs/operating.md lists the settings',
    'BATON_INTERACTON_TTL_MS is no setting of Baton, and is ignored: did you mean BATON_INTERACTION_TTL_MS?',
    'BATON_SECRT is no setting of Baton, and is ignored: did you mean BATON_SECRET?',
  ]);
});

test.each([
  ['a setting of a gateway', { BATON_TASK_TTL_MS: '1' }],
  ['a secret in a file', { BATON_SECRET_FILE: '/x', BATON_API_KEY_FILE: '/y' }],
  ['a setting of an agent', { BATON_LLM_MODEL: 'x', BATON_URL: 'x' }],
  ["compose's own", { BATON_REDIS_PASSWORD: 'x', BATON_REDIS_MAXMEMORY: '1gb', BATON_NODE_IMAGE: 'x' }],
  [
    'what Kubernetes sets for a service named baton',
    {
      BATON_SERVICE_HOST: '10.0.0.1',
      BATON_SERVICE_PORT_HTTP: '80',
      BATON_PORT: 'tcp://10.0.0.1:80',
      BATON_PORT_80_TCP_ADDR: '10.0.0.1',
      BATON_GATEWAY_PORT: 'tcp://10.0.0.1:80',
    },
  ],
  ["another program's", { PORT: '1', BATONX: '1' }],
])('%s is never called unknown', (_claim, environment) => {
  expect(describeUnknownVariables(environment as NodeJS.ProcessEnv)).toEqual([]);
});

test('no variable that the compose file reads is called unknown', () => {
  const text = readFileSync(new URL('../../../../docker-compose.yml', import.meta.url), 'utf8');
  const names = [...text.replaceAll('$$', '').matchAll(/\$\{(BATON_\w+)|^ +(BATON_\w+):$/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  expect(names).toContain('BATON_GRAFANA_PASSWORD');
  expect(describeUnknownVariables(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([]);
});

test('a gateway that is started with the port of the compose file alone is told which it reads', () => {
  expect(describePortOfCompose({ BATON_PORT: '9000' })).toEqual([
    'BATON_PORT=9000 is read by docker-compose.yml alone: a gateway listens at PORT',
  ]);
  for (const environment of [{}, { BATON_PORT: '9000', PORT: '80' }, { BATON_PORT: 'tcp://10.0.0.1:80' }])
    expect(describePortOfCompose(environment)).toEqual([]);
});
