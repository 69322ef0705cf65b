import { readFileSync } from 'node:fs';
import { toolOperations } from '@baton/operations';
import { DEFAULT_LIMITS, limitsSchema } from '@baton/protocol';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { inlineCodeIn, readPage, tableOf, tablesOf } from './read-markdown-pages.ts';

/** docs/prompts.md sets each prompt beside claude-task-master's: its counts are those of the code, and no operation is left out. */
const PAGE = 'docs/prompts.md';
const GOLDENS = new URL('../../packages/operations/src/testing/prompt-goldens/', import.meta.url);

const comparisons = tablesOf(PAGE).filter(({ header }) => header[0] === 'operation');

test('the tokens of each prompt on the page are those of the code, counted with o200k_base', () => {
  const [counted] = comparisons;
  const shown = Object.fromEntries(
    counted!.rows.map(([name, instructions, , research, , sample]) => [
      inlineCodeIn(name!)[0],
      [instructions, research, sample].map(Number),
    ]),
  );
  const counts = [...toolOperations].map(([name, { promptText }]) => [
    name,
    [
      countTokens(promptText.system),
      countTokens(`${promptText.system}\n\n${promptText.research}`),
      countTokens(readFileSync(new URL(`${name}.txt`, GOLDENS), 'utf8')),
    ],
  ]);
  expect(shown).toEqual(Object.fromEntries(counts));
});

test('every operation with a prompt of claude-task-master stands in each comparison', () => {
  expect(comparisons).toHaveLength(3);
  const compared = comparisons[0]!.rows.filter(([, , there]) => there !== 'none');
  const names = compared.flatMap(([name]) => inlineCodeIn(name!)).toSorted();
  for (const { rows } of comparisons.slice(1)) {
    const here = rows.flatMap(([cell]) => inlineCodeIn(cell!)).filter((code) => toolOperations.has(code));
    expect([...new Set(here)].toSorted()).toEqual(names);
    // Each cell says something: what is not there is said to be none.
    for (const row of rows) expect(row.every((cell) => cell !== '')).toBe(true);
  }
});

test('the page has the default and the bounds of the budget', () => {
  const { promptTokens } = limitsSchema.shape;
  const numbers = [DEFAULT_LIMITS.promptTokens, promptTokens.minValue, promptTokens.maxValue];
  const said = numbers.map((number) => number!.toLocaleString('en'));
  expect(readPage(PAGE)).toContain(`\`promptTokens\` (${said[0]}; ${said[1]} to ${said[2]})`);
  expect(tableOf(PAGE, 'part').map(([part]) => part)).toHaveLength(8);
});
