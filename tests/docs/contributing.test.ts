import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocksUnder } from './read-markdown-pages.ts';
import { SourceCopy } from './source-copy.ts';

/** The example of `Add an operation` is added as the page says, in a copy of the sources. */
test('the operation that CONTRIBUTING.md adds has the right types, passes its own test, and is a tool', {
  timeout: 240_000,
}, async () => {
  const tree = SourceCopy.create();
  try {
    const [prompt = '', program = '', itsTest = ''] = codeBlocksUnder('Add an operation', 'ts');
    const folder = join(tree.folder, 'packages/operations/src/summarize-tag');
    mkdirSync(folder);
    writeFileSync(join(folder, 'prompt.ts'), prompt);
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'program.test.ts'), itsTest);
    edit(tree, 'tool-operations.ts', [
      [/^/, "import { summarizeTagOperation } from '../summarize-tag/program.ts';\n"],
      [/^ {2}addTaskOperation,$/m, '  addTaskOperation,\n  summarizeTagOperation,'],
    ]);
    writeFileSync(
      join(folder, 'registered.test.ts'),
      `import { expect, it } from 'vitest';
import { requireToolText, toolOperations } from '../index.ts';
it('is registered', () => {
  expect([...toolOperations.keys()]).toContain('summarize_tag');
  expect(requireToolText('summarize_tag').promptText?.version).toBe(1);
});
`,
    );
    const types = await tree.run('npx tsc --noEmit --pretty false');
    expect(
      types.said
        .split('\n')
        .filter((line) => /summarize-tag|operations\/src\/(catalog|tool-operations)/.test(line)),
    ).toEqual([]);
    const config = `export default { test: { include: ['packages/operations/src/summarize-tag/*.test.ts'] } };`;
    writeFileSync(join(tree.folder, 'example.vitest.mjs'), config);
    const tests = await tree.run('NO_COLOR=1 npx vitest run --config example.vitest.mjs');
    expect(tests.said).toMatch(/Tests\D+2 passed/);
    expect(tests.code).toBe(0);
  } finally {
    await tree.end();
  }
});

function edit(tree: SourceCopy, name: string, changes: readonly (readonly [RegExp, string])[]): void {
  const path = join(tree.folder, 'packages/operations/src/tool-operations', name);
  let text = readFileSync(path, 'utf8');
  for (const [place, change] of changes) {
    expect(text, `${name} has a place for it`).toMatch(place);
    text = text.replace(place, change);
  }
  writeFileSync(path, text);
}
