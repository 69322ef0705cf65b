import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  findCycle,
  buildFolderGraph,
  buildImportGraph,
  isTestFile,
  listSourceFiles,
} from './import-graph.ts';

/** Claims about the tree itself. */
const ROOT = join(import.meta.dirname, '../..');
const MOST_FILES = 15;
const MOST_LINES = 400;

const files = listSourceFiles(ROOT, ['apps', 'packages', 'tests']);
const sources = files.filter((file) => !isTestFile(file));
const graph = buildImportGraph(ROOT, files);
const sourceGraph = buildImportGraph(ROOT, sources);
const workspaceOf = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('tests/') ? 1 : 2)
    .join('/');

test('no import cycle between files, type imports included', () => {
  expect(findCycle(graph.files)).toBeUndefined();
});

test.each([...new Set(sources.map(workspaceOf))])('no import cycle between folders of %s', (workspace) => {
  const own = new Map([...sourceGraph.files].filter(([file]) => workspaceOf(file) === workspace));
  expect(findCycle(buildFolderGraph(own))).toBeUndefined();
});

test(`no folder has more than ${MOST_FILES} source files, no file more than ${MOST_LINES} lines`, () => {
  const counts = new Map<string, number>();
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  const long = files.filter(
    (file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > MOST_LINES + 1,
  );
  expect(long).toEqual([]);
});

test('modules are replaced in *.mocked.test.ts only, whose processes no other file shares', () => {
  const replaces = /^vi\.(mock|doMock)\(/m;
  const found = files.filter((file) => replaces.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(found.filter((file) => !file.endsWith('.mocked.test.ts'))).toEqual([]);
  expect(found).not.toEqual([]);
});

test.each([...new Set(files.map(workspaceOf))])(
  '%s declares the workspace packages that it imports',
  (workspace) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const imported = new Set<string>();
    for (const [file, names] of graph.packages)
      if (workspaceOf(file) === workspace) for (const name of names) imported.add(name);
    imported.delete(manifest.name);
    expect(declared.filter((name) => name.startsWith('@baton/')).toSorted()).toEqual(
      [...imported].toSorted(),
    );
  },
);

test('findCycle finds a cycle, whichever of its files comes first', () => {
  const circle = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ]);
  expect(findCycle(circle)).toEqual(['b', 'c', 'b']);
  expect(findCycle(new Map([...circle].toReversed()))).toEqual(['c', 'b', 'c']);
  expect(findCycle(new Map([['a', ['b']]]))).toBeUndefined();
});
