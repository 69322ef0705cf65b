import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The linter enforces the layers: each row of FORBIDDEN is a file that it reports, each of ALLOWED one that it does not. */
const root = new URL('..', import.meta.url).pathname;
const planted = mkdtempSync(join(tmpdir(), 'baton-layers-'));
cpSync(join(root, '.oxlintrc.json'), join(planted, '.oxlintrc.json'));
cpSync(join(root, 'tsconfig.json'), join(planted, 'tsconfig.json'));
symlinkSync(join(root, 'node_modules'), join(planted, 'node_modules'));
afterAll(() => rmSync(planted, { recursive: true }));

const FORBIDDEN = [
  ['packages/protocol/src/x.ts', '@baton/engine'],
  ['packages/protocol/src/x.ts', 'node:fs'],
  ['packages/engine/src/x.ts', '@baton/store'],
  ['packages/engine/src/x.ts', '@baton/operations'],
  ['packages/engine/src/x.ts', 'node:crypto'],
  ['packages/agent-definitions/src/x.ts', '@baton/operations'],
  ['packages/agent-definitions/src/agent/x.ts', '@baton/store'],
  ['packages/agent-definitions/src/x.ts', 'node:fs'],
  ['packages/engine/src/x.ts', '@baton/agent-definitions'],
  ['packages/operations/src/x.ts', '@baton/store'],
  ['packages/operations/src/parse-prd/x.ts', 'node:fs'],
  ['packages/workflows/src/x.ts', '@baton/operations'],
  ['packages/workflows/src/run/x.ts', '@baton/store'],
  ['packages/workflows/src/templates/x.ts', 'node:crypto'],
  ['packages/operations/src/x.ts', '@baton/workflows'],
  ['packages/store/src/x.ts', '@baton/engine'],
  ['packages/runner/src/x.ts', '@baton/gateway'],
  ['packages/runner/src/x.ts', '@baton/store/operator'],
  ['packages/runner/src/x.ts', 'ioredis'],
  ['packages/local-redis/src/x.ts', '@baton/store'],
  ['packages/tracing/src/x.ts', '@baton/store'],
  ['packages/answer-validation/src/x.ts', '@baton/runner'],
  ['packages/answer-validation/src/x.ts', '@baton/store'],
  ['packages/agent/src/x.ts', '@baton/runner'],
  ['packages/agent/src/llm/x.ts', '@baton/store'],
  ['apps/gateway/src/x.ts', '@baton/worker'],
  ['apps/gateway/src/x.ts', 'ioredis'],
  ['apps/gateway/src/x.ts', '@baton/store/operator'],
  ['apps/gateway/src/rest/x.ts', '@baton/store/operator'],
  ['apps/gateway/src/rest/routes/x.ts', '@baton/store/operator'],
  ['apps/gateway/src/rest/operator/x.ts', '@baton/store/shards'],
  ['apps/worker/src/x.ts', '@baton/gateway'],
  ['apps/worker/src/x.ts', '@baton/store/operator'],
  ['apps/worker/src/x.ts', 'bullmq'],
  ['apps/cli/src/x.ts', 'bullmq'],
  ['apps/cli/src/x.ts', '@baton/store/shards'],
  ['apps/console/src/x.ts', '@baton/protocol'],
  ['apps/console/src/x.ts', '@baton/gateway'],
  ['apps/console/src/screens/x.ts', '@baton/gateway/log'],
] as const;

const ALLOWED = [
  ['packages/engine/src/x.ts', '@baton/protocol'],
  ['packages/operations/src/x.ts', '@baton/engine'],
  ['packages/operations/src/x.ts', '@baton/agent-definitions'],
  ['packages/agent-definitions/src/x.ts', '@baton/engine'],
  ['packages/workflows/src/x.ts', '@baton/protocol'],
  ['packages/store/src/x.ts', 'ioredis'],
  ['apps/gateway/src/rest/operator/x.ts', '@baton/store/operator'],
  ['apps/worker/src/x.ts', '@baton/store/shards'],
  ['apps/cli/src/x.ts', '@baton/gateway'],
  ['apps/cli/src/x.ts', '@baton/agent'],
  ['apps/cli/src/x.ts', '@baton/gateway/reply-types'],
  ['packages/agent/src/x.ts', '@baton/protocol'],
  ['apps/console/src/x.ts', '@baton/gateway/reply-types'],
] as const;

/** By path, what the linter reports. */
const reported = new Map<string, string[]>();
beforeAll(() => {
  for (const [path, name] of [...FORBIDDEN, ...ALLOWED])
    plant(pathOf(path, name), `import { thing } from '${name}';\nexport const used = thing;\n`);
  plant('packages/engine/src/a.ts', "import { b } from './b.ts';\nexport const a = () => b;\n");
  plant('packages/engine/src/b.ts', "import { a } from './a.ts';\nexport const b = () => a;\n");
  const oxlint = join(root, 'node_modules/.bin/oxlint');
  const { stdout } = spawnSync(oxlint, ['--format=json', '.'], { cwd: planted, encoding: 'utf8' });
  for (const { filename, code } of JSON.parse(stdout).diagnostics)
    reported.set(filename, [...(reported.get(filename) ?? []), code]);
});

function plant(path: string, source: string): void {
  mkdirSync(dirname(join(planted, path)), { recursive: true });
  writeFileSync(join(planted, path), source);
}

/** A file of its own for each import. */
const pathOf = (path: string, name: string) => path.replace('x.ts', `${name.replaceAll(/\W/g, '-')}.ts`);

const RESTRICTED = expect.stringContaining('no-restricted-imports');

test.each(FORBIDDEN)('%s never imports %s', (path, name) => {
  expect(reported.get(pathOf(path, name))).toContainEqual(RESTRICTED);
});

test.each(ALLOWED)('%s may import %s', (path, name) => {
  expect(reported.get(pathOf(path, name)) ?? []).not.toContainEqual(RESTRICTED);
});

test('two files never import each other', () => {
  expect(reported.get('packages/engine/src/b.ts')).toContainEqual(expect.stringContaining('no-cycle'));
});
