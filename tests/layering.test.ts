import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** The linter enforces the layers: each row writes a violation and expects the linter to report it. */
const root = new URL('..', import.meta.url).pathname;
const planted = mkdtempSync(join(tmpdir(), 'baton-layers-'));
cpSync(join(root, '.oxlintrc.json'), join(planted, '.oxlintrc.json'));
cpSync(join(root, 'tsconfig.json'), join(planted, 'tsconfig.json'));
symlinkSync(join(root, 'node_modules'), join(planted, 'node_modules'));
afterAll(() => rmSync(planted, { recursive: true }));

/** The linter's output for one file at `path` with `source`. */
function lint(path: string, source: string): string {
  const file = join(planted, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  try {
    return execFileSync(join(root, 'node_modules/.bin/oxlint'), [path], {
      cwd: planted,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(file);
  }
}

test.each([
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
])('%s never imports %s', (path, name) => {
  expect(lint(path, `import { thing } from '${name}';\nexport const used = thing;\n`)).toContain(
    'no-restricted-imports',
  );
});

test.each([
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
])('%s may import %s', (path, name) => {
  expect(lint(path, `import { thing } from '${name}';\nexport const used = thing;\n`)).not.toContain(
    'no-restricted-imports',
  );
});

test('two files never import each other', () => {
  writeFileSync(
    join(planted, 'packages/engine/src/a.ts'),
    "import { b } from './b.ts';\nexport const a = () => b;\n",
  );
  const found = lint('packages/engine/src/b.ts', "import { a } from './a.ts';\nexport const b = () => a;\n");
  expect(found).toContain('no-cycle');
});
