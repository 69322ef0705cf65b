import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import {
  anchorOf,
  inlineCodeIn,
  PAGES,
  readPageWithoutCode,
  REPOSITORY_ROOT,
  readPage,
} from './read-markdown-pages.ts';

/** Links lead somewhere, and paths that pages name are there. */
const OUTSIDE = /^https:\/\//;

interface Link {
  readonly page: string;
  readonly target: string;
}

const links: Link[] = PAGES.flatMap((page) =>
  [...readPageWithoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
);

function anchorsOf(page: string): string[] {
  return [...readPageWithoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

test('every link within the repository leads to an existing file and heading', () => {
  const inside = links.filter(({ target }) => !OUTSIDE.test(target));
  expect(inside.length).toBeGreaterThan(30);
  const dead = inside.filter(({ page, target }) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : relative(REPOSITORY_ROOT, join(REPOSITORY_ROOT, dirname(page), path));
    if (!existsSync(join(REPOSITORY_ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
  expect(dead).toEqual([]);
});

test('every page is linked to from another one', () => {
  const linked = new Set(
    links.map(({ page, target }) =>
      relative(REPOSITORY_ROOT, join(REPOSITORY_ROOT, dirname(page), target.split('#')[0] ?? '')),
    ),
  );
  for (const page of PAGES) if (page !== 'README.md') expect(linked).toContain(page);
});

/** What `Add an operation` makes is not there before somebody does it. */
const EXAMPLE = 'packages/operations/src/summarize-tag/';

const TOP = /^(apps|packages|tests|infra|docs|\.ci)\/|^docker-compose\.yml$/;
const BARE_FILE = /^[\w.-]+\.(ts|lua|mjs)$/;

test('every path that a page names exists', () => {
  const missing = PAGES.flatMap((page) =>
    inlineCodeIn(readPageWithoutCode(page))
      .filter((code) => TOP.test(code) && !code.startsWith(EXAMPLE) && !/\s/.test(code))
      // A path with a placeholder is there up to it.
      .map((code) => code.replace(/[^/]*<.*$/, ''))
      .filter((path) => !existsSync(join(REPOSITORY_ROOT, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('every source file that a page names without its folder exists', () => {
  const names = new Set(
    ['apps', 'packages', 'infra', 'tests'].flatMap((folder) =>
      readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => path.split('/').at(-1) ?? '',
      ),
    ),
  );
  const bare = PAGES.flatMap((page) =>
    inlineCodeIn(readPageWithoutCode(page)).filter((code) => BARE_FILE.test(code)),
  );
  expect(bare.length).toBeGreaterThan(5);
  expect(bare.filter((name) => !names.has(name))).toEqual([]);
});

test('the README is at most 200 lines, and no page names a package registry or a path of one machine', () => {
  expect(readPage('README.md').split('\n').length).toBeLessThanOrEqual(201);
  for (const page of PAGES) expect(readPage(page)).not.toMatch(/\/(home|work|tmp)\/|registry\.npm|verdaccio/);
});
