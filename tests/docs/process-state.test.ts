import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inlineCodeIn, readPage, REPOSITORY_ROOT } from './read-markdown-pages.ts';

/** What may hold input of one request when another comes: collections and validators of a module or of a class. */
const COLLECTION = '(?:Map|Set|WeakMap|WeakSet|LRUCache|SetMultimap|TokenBuckets|Tally|Ajv\\w*)';
const OF_MODULE = new RegExp(
  `^(?:export )?(?:let (\\w+)|const (\\w+)(?:: (?!Readonly)[^=\\n]+)? = (?:\\{ \\w+: )?new ${COLLECTION}\\b(?:<[^\\n]*>)?\\((?!\\[))`,
  'gm',
);
const OF_CLASS = new RegExp(
  `^ {2}(?:private )?(?:static )?(?:readonly )?(\\w+)(?:: [^=;()\\n]+)? = (?:new ${COLLECTION}\\b[^\\n]*\\((?!\\),$)|\\[\\];)`,
  'gm',
);
const OF_CLOSURE = /^ {2}const (\w+) = new (?:Map<Socket|LRUCache)/gm;

/** `baton agent` runs for one tenant, `baton dev` for one developer. */
const PROCESSES = ['apps/gateway/src', 'apps/worker/src', 'packages'];
const OTHERS = /\.(?:test|soak)\.ts$|\/testing\/|^packages\/(?:local-redis|agent)\//;

function stateIn(file: string): string[] {
  const text = readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
  const of = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
  const short = file.replace(/^apps\/gateway\/src\/|^packages\/|\/src(?=\/)/g, '').replace(/\/src(?=\/)/, '');
  const held = [...of(OF_MODULE), ...of(OF_CLASS), ...of(OF_CLOSURE)];
  // A count by tally is listed once, where the tally is.
  return held
    .filter((name) => !new RegExp(`\\b${name} = new Tally`).test(text))
    .map((name) => `${short}: ${name}`);
}

test('the guarantees list every object that outlives a request, and no other', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...PROCESSES], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\/src\/.*\.(ts|mjs)$/.test(file) && !OTHERS.test(file));
  const found = files.flatMap(stateIn);
  const [, after = ''] = readPage('docs/guarantees.md').split('## What outlives a request\n');
  const section = after.split(/^## /m)[0] ?? '';
  const listed = inlineCodeIn(section).flatMap((code) => {
    const [file, names] = code.split(': ');
    return names === undefined ? [] : names.split(', ').map((name) => `${file}: ${name}`);
  });
  expect(found.length).toBeGreaterThan(40);
  expect(listed.toSorted()).toEqual(found.toSorted());
});

test('an object that is added is found', () => {
  const held = (text: string) => [...text.matchAll(OF_MODULE), ...text.matchAll(OF_CLASS)].length;
  expect(held('const seen = new Map<string, string>();\n')).toBe(1);
  expect(held('let last: string | undefined;\n')).toBe(1);
  expect(held('  private readonly seen = new LRUCache<string, true>({ max: 1 });\n')).toBe(1);
  expect(held('  private recent: string[] = [];\n')).toBe(1);
  expect(held("const KINDS = new Set(['a']);\n")).toBe(0);
});
