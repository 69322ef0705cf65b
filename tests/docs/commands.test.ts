import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CodeBlock, codeBlocksOf, PAGES, REPOSITORY_ROOT } from './read-markdown-pages.ts';

/**
 * What a page shows as a command or as code is run by a test, which takes it from the page with `codeBlocksUnder`, or says on the
 * line above why it is not: `<!-- not run: ... -->`, or `<!-- run by: .ci/run -->` for what CI runs as it stands.
 */
const fences = PAGES.flatMap(codeBlocksOf);

/** Each `codeBlocksUnder('heading')` and `codeBlocksUnder('heading', 'kind')` in the tests, as `heading|kind`. */
const taken = new Set(
  readdirSync(join(REPOSITORY_ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) => [
      ...readFileSync(join(REPOSITORY_ROOT, 'tests', path), 'utf8').matchAll(
        /\bcodeBlocksUnder\('([^']+)'(?:, '(\w*)')?\)/g,
      ),
    ])
    .map(([, heading, kind = 'sh']) => `${heading}|${kind}`),
);

const isTaken = ({ headings, kind }: CodeBlock) =>
  headings.some((heading) => taken.has(`${heading}|${kind}`));
const nameOf = ({ page, heading, kind, text }: CodeBlock) =>
  `${page}, ${heading}: ${kind} ${JSON.stringify(text.split('\n')[0])}`;
const named = (some: readonly CodeBlock[]) =>
  some.map((fence): [string, CodeBlock] => [nameOf(fence), fence]);

test.each(named(fences.filter(({ kind }) => !['json', 'mermaid'].includes(kind))))(
  '%s is run by a test, or says why not',
  (_name, fence) => {
    const [, how = '', what = ''] = /^(run by|not run): (.+)$/.exec(fence.note) ?? [];
    if (how === 'not run') expect(what.length, 'a reason').toBeGreaterThan(20);
    else if (how === 'run by') {
      const runner = readFileSync(join(REPOSITORY_ROOT, what), 'utf8');
      for (const line of fence.text.trim().split('\n')) expect(runner).toContain(line);
    } else
      expect(isTaken(fence), `a test takes codeBlocksUnder('${fence.heading}', '${fence.kind}')`).toBe(true);
  },
);

test.each(named(fences.filter(({ kind }) => kind === 'json')))('%s is JSON', (_name, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

test.each(named(fences.filter(({ kind }) => kind === 'mermaid')))(
  '%s is a valid diagram',
  (_name, { text }) => {
    const [first = '', ...lines] = text.trimEnd().split('\n');
    const language = LANGUAGES[first];
    expect(language, first).toBeDefined();
    for (const line of lines) expect(line).toMatch(language ?? /$^/);
  },
);

/** The lines that this repository's diagrams may have; a page is rendered by others, where no test sees it. */
const LANGUAGES: Readonly<Record<string, RegExp>> = {
  sequenceDiagram: /^ +(participant \w+ as [^;:#]+|\w+--?>>\w+: [^;#]+|(alt|else|opt|loop) [^;:#]+|end)$/,
  'stateDiagram-v2': /^ +((\[\*\]|\w+) --> (\[\*\]|\w+)(: [^;:#]+)?|state "[^"]+" as \w+( \{)?|\})$/,
};

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  const all = PAGES.map((page) => readFileSync(join(REPOSITORY_ROOT, page), 'utf8')).join('\n');
  const names = new Set([...all.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
  expect(names.size).toBeGreaterThan(5);
  for (const name of names) expect(Object.keys(scripts)).toContain(name);
});
