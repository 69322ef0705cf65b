import { BatonError } from '@baton/protocol';
import { expect } from 'vitest';
import { applyCommand, type Project } from '../project/index.ts';
import { findInvariantViolations } from './project-invariants.ts';
import { projectTools } from '../catalog/tool-catalog.ts';
import { TEST_NOW } from './run-program-in-memory.ts';

type Given = Record<string, unknown>;

/** Calls a tool as the gateway does, and holds its result and what it leaves against their shapes. */
export function callProjectToolInMemory(name: string, input: Given, before?: Project) {
  const tool = projectTools.find((one) => one.name === name)!;
  const given = tool.input.parse(input);
  let after = before;
  let result: object;
  if (tool.kind === 'view') {
    result = tool.view(before, given);
  } else {
    const applied = applyCommand(before, tool.command(given), TEST_NOW);
    after = applied.project;
    result = tool.show(JSON.parse(JSON.stringify(applied.outcome)), given);
  }
  if (after) expect(findInvariantViolations(after)).toEqual([]);
  expect(tool.result.safeParse(result).error).toBeUndefined();
  expect(tool.summarize(result, given).length).toBeGreaterThan(5);
  return { result: result as Given, after, tasks: (tag = 'master') => after?.tags.get(tag)?.tasks ?? [] };
}

export function expectToolRefusal(name: string, input: Given, before?: Project): BatonError {
  try {
    callProjectToolInMemory(name, input, before);
  } catch (thrown) {
    if (thrown instanceof BatonError) return thrown;
    throw thrown;
  }
  throw new Error(`${name} was not refused`);
}
