import { expect, test } from 'vitest';
import { agentSchema } from '../../packages/agent-definitions/src/agent/agent.ts';
import { budgetsSchema } from '../../packages/agent-definitions/src/definition/definition-parts.ts';
import { hintsSchema } from '../../packages/agent-definitions/src/prompt/hints.ts';
import { promptSchema } from '../../packages/agent-definitions/src/prompt/prompt.ts';
import { inlineCodeIn, readPageWithoutCode, tableOf } from './read-markdown-pages.ts';

/** A field of an agent or a prompt that docs/agents.md leaves out, or invents, fails here. */
const PAGE = 'docs/agents.md';
const [, , tags] = promptSchema.shape.parser.unwrap().options;

test.each([
  ['field of an agent', agentSchema.shape],
  ['field of a prompt', promptSchema.shape],
  ['field of a tag', tags.shape.tags.element.shape],
])('the table "%s" has every one, and no other', (first, fields) => {
  const shown = tableOf(PAGE, first).flatMap(([cell = '']) => inlineCodeIn(cell));
  expect(shown.toSorted()).toEqual(Object.keys(fields).toSorted());
});

test('budgets and hints are named', () => {
  const named = new Set(inlineCodeIn(readPageWithoutCode(PAGE)).flatMap((code) => code.split(/\W+/)));
  for (const name of [...Object.keys(budgetsSchema.shape), ...Object.keys(hintsSchema.shape)])
    expect(named).toContain(name);
});
