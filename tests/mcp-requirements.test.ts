import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_REQUIREMENTS } from './agent-requirements.ts';
import { IO_FORMAT_REQUIREMENTS } from './io-format-requirements.ts';
import { MCP_REQUIREMENTS } from './mcp-requirements.ts';
import { WORKFLOW_REQUIREMENTS } from './workflow-requirements.ts';

const REQUIREMENTS = {
  ...MCP_REQUIREMENTS,
  ...WORKFLOW_REQUIREMENTS,
  ...AGENT_REQUIREMENTS,
  ...IO_FORMAT_REQUIREMENTS,
};
const ROOT = new URL('.', import.meta.url).pathname;

/** A test's name that ends with ids in brackets, and then the test: `'refuses ... [id, another-id]', async () => ...`. */
const CITING = /\[([a-z-]+(?:, [a-z-]+)*)\]['"`],\s*(?:async )?\(/g;

function citationsIn(text: string): string[] {
  return [...text.matchAll(CITING)].flatMap(([, ids = '']) => ids.split(', '));
}

const cited = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith('mcp-requirements'))
  .flatMap((file) => citationsIn(readFileSync(join(ROOT, file), 'utf8')));

test('every requirement is cited by a test over the wire', () => {
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.includes(id))).toEqual([]);
});

test('no test cites a requirement that is not in the list', () => {
  expect(cited.filter((id) => !Object.hasOwn(REQUIREMENTS, id))).toEqual([]);
});

test("a citation counts only at the end of a test's name", () => {
  const text = `test('claims [a-b, c]', () => {}); test.each([1])("it's so [d]",\n  async (one) => {});`;
  expect(citationsIn(text)).toEqual(['a-b', 'c', 'd']);
  expect(citationsIn("// [a-b]\nconst x = '[c]'; test('claims [7]', () => {}); test('[a] more', f)")).toEqual(
    [],
  );
});
