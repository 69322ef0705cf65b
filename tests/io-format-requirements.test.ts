import { expect, test } from 'vitest';
import { IO_FORMAT_REQUIREMENTS } from './io-format-requirements.ts';
import { MCP_REQUIREMENTS } from './mcp-requirements.ts';

/**
 * The sections, numbered items and rows of seed 5's lists. `correct`, `partial` and `gap` are its lists of what was and was not
 * compliant, `roadmap` its eight items, `file changes` and `testing` its lists of those names. Not among them is what asks for nothing
 * here: its notes on backward compatibility, and the files of the other product.
 */
const ITEMS: Readonly<Record<string, readonly (string | number)[]>> = {
  'seed 5, ': ['1.1', '1.2', '1.3', '1.4', '1.5', '2.1', '2.2', '2.3', '2.4', '2.5'],
  'seed 5, 1.4': [1, 2, 3, 4, 5],
  'seed 5, correct': [1, 2, 3, 4],
  'seed 5, partial': [1, 2, 3],
  'seed 5, gap': [1, 2, 3, 4],
  'seed 5, recommendation': [1, 2, 3, 4, 5, 6],
  'seed 5, roadmap': [1, 2, 3, 4, 5, 6, 7, 8],
  'seed 5, file changes': [1, 2, 3],
  'seed 5, testing': [1, 2, 3],
};

/** What the sources name, each with its seed: 'seed 5, 1.1; roadmap 2' are two. */
const named = Object.values({ ...MCP_REQUIREMENTS, ...IO_FORMAT_REQUIREMENTS }).flatMap(({ source }) => {
  let seed = '';
  return source.split('; ').map((part) => {
    seed = /^(?:seed \d|spec|contract)/.exec(part)?.[0] ?? seed;
    return part.startsWith(seed) ? part : `${seed}, ${part}`;
  });
});

test.each(
  Object.entries(ITEMS).flatMap(([section, items]) => items.map((item) => [section, String(item)] as const)),
)('%s %s is the source of a requirement', (section, item) => {
  const words = named.flatMap((part) =>
    part.startsWith(section) ? part.slice(section.length).split(/[^\w.]+/) : [],
  );
  expect(words).toContain(item);
});
