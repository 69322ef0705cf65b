import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ALL_SCRIPTS } from '@baton/store/testing/all-scripts';
import { expect, test } from 'vitest';
import * as registry from '../../packages/store/src/scripts/registry.ts';
import { isTestFile, listSourceFiles } from '../structure/import-graph.ts';
import { codeBlocksOf, inlineCodeIn, REPOSITORY_ROOT, tableOf } from './read-markdown-pages.ts';

/** The picture of a delegation and the table of scripts say what the code is. */
const PAGE = 'docs/architecture.md';
const read = (path: string) => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

const steps = tableOf(PAGE, 'step').map(([step = '', file = '', name = '']) => ({
  step,
  file: inlineCodeIn(file)[0] ?? '',
  name: inlineCodeIn(name)[0] ?? '',
}));

test.each(steps)('step $step of a delegation: $file has $name', ({ file, name }) => {
  expect(existsSync(join(REPOSITORY_ROOT, file)), file).toBe(true);
  const declared = file.endsWith('.lua')
    ? new RegExp(`^-- ${name}: `, 'm')
    : new RegExp(`^export (async )?(function\\*?|class|const) ${name}\\b`, 'm');
  expect(read(file)).toMatch(declared);
});

test('the picture names each step, and the file of each is in the table', () => {
  const picture = codeBlocksOf(PAGE).find(({ kind }) => kind === 'mermaid')?.text ?? '';
  const shown = [...picture.matchAll(/: (\d+)\. .*?([\w-]+\.(?:ts|lua))$/gm)].map(([, step, file]) => [
    step,
    file,
  ]);
  expect(shown.length).toBeGreaterThan(15);
  expect(shown).toEqual(steps.map(({ step, file }) => [step, basename(file)]));
});

test('the table of scripts has each with its keys and with who calls it', () => {
  const callers = new Map<string, string[]>();
  for (const file of listSourceFiles(REPOSITORY_ROOT, ['packages/store/src'])) {
    if (isTestFile(file) || file.includes('/scripts/')) continue;
    const [, imported = ''] = /import \{([^}]*)\} from '[^']*scripts\/registry\.ts'/.exec(read(file)) ?? [];
    for (const constant of imported.match(/\w+/g) ?? []) {
      const name = (registry as Readonly<Record<string, { readonly name: string }>>)[constant]?.name ?? '';
      callers.set(name, [...new Set([...(callers.get(name) ?? []), basename(file)])]);
    }
  }
  const made = [...ALL_SCRIPTS.values()].map(({ name, keys }) => [
    name,
    `${keys.length}`,
    (callers.get(name) ?? []).toSorted(),
  ]);
  const shown = tableOf(PAGE, 'script').map(([name = '', keys = '', , , , calledBy = '']) => [
    inlineCodeIn(name)[0],
    keys,
    inlineCodeIn(calledBy).toSorted(),
  ]);
  const byName = (rows: readonly unknown[][]) =>
    rows.toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  expect(byName(shown)).toEqual(byName(made));
});
