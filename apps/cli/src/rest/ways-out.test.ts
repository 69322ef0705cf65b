import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atTerminal, WAYS_OUT } from './ways-out.ts';

test('an error points to a command, and to nothing that only MCP or REST has', () => {
  expect(atTerminal('No tenant has this id. Create it with POST /v1/tenants.')).toBe(
    'No tenant has this id. Create it with: baton tenants create',
  );
  expect(atTerminal('Another error.')).toBe('Another error.');
  for (const [, typed] of WAYS_OUT) expect(typed).not.toMatch(/\/v1\/|_/);
});

test('each of the words that are replaced is what Baton says', () => {
  const sources = [
    'packages/store/src/records/refusal-error.ts',
    'apps/gateway/src/rest/tools/tool-routes.ts',
  ].map((file) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'));
  for (const [said] of WAYS_OUT) expect(sources.join('')).toContain(said);
});
