import { expect, test } from 'vitest';
import { AGENT_REQUIREMENTS } from './agent-requirements.ts';

/**
 * The numbered items and the rows of the tables of seeds 3 and 4. Not among them is what asks for nothing: the protocols that were
 * looked at, the reasons 1 and 3 of the decision, and the tasks 1 and 2, research and design.
 */
const ITEMS: Readonly<Record<string, readonly (string | number)[]>> = {
  'seed 3, Decision': [2, 4],
  'seed 3, Agent Types': [1, 2],
  'seed 3, Phase 1': [1, 2, 3, 4],
  'seed 3, Benefits': [1, 2, 3, 4, 5],
  'seed 3, Implementation Tasks': [3, 4, 5, 6, 7, 8],
  'seed 3, Open Questions': [1, 2, 3, 4],
  'seed 4, LLM Call vs. Agent Call': ['Input', 'Output', 'Responsibility', 'Determinism'],
  'seed 4, State Machine Lifecycle': [1, 2, 3, 4, 5, 'first', 'second', 'third'],
  'seed 4, Classification Helpers': [1, 2, 3],
  'seed 4, Implementing Custom Agents': [1, 2, 3],
};

/** What the sources name, each with its seed: 'seed 3, Agent Types 1; Open Questions 1 and 2' are two. */
const named = Object.values(AGENT_REQUIREMENTS).flatMap(({ source }) => {
  let seed = '';
  return source.split('; ').map((part) => {
    seed = /^seed \d/.exec(part)?.[0] ?? seed;
    return part.startsWith('seed ') ? part : `${seed}, ${part}`;
  });
});

test.each(
  Object.entries(ITEMS).flatMap(([section, items]) => items.map((item) => [section, String(item)] as const)),
)('%s, %s is the source of a requirement', (section, item) => {
  const words = named.flatMap((part) =>
    part.startsWith(section) ? part.slice(section.length).split(/[^\w]+/) : [],
  );
  expect(words).toContain(item);
});
