import { toJsonSchema } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { allPrograms } from './operation-catalog.ts';
import { toolOperations } from '../tool-operations/tool-operations.ts';
import { syntheticOperations } from './synthetic-operations.ts';

describe('the catalog', () => {
  it('holds the operations that are tools, and no others', () => {
    expect([...toolOperations.keys()]).toEqual([
      'parse_prd',
      'analyze_project_complexity',
      'expand_task',
      'expand_all',
      'update',
      'update_task',
      'update_subtask',
      'add_task',
      'scope_up_task',
      'scope_down_task',
      'research',
    ]);
  });

  it('has every version that may be parked, each once', () => {
    const programs = allPrograms().map(({ name, version }) => `${name} ${version}`);
    expect(programs).toEqual(expect.arrayContaining(['parse_prd 1', 'delegated_call 1', 'expand_all 1']));
    expect(new Set(programs).size).toBe(programs.length);
  });

  it('has the tests’ operations only where they are given', () => {
    const echo = syntheticOperations.get('bench_echo');
    expect(allPrograms()).not.toContain(echo);
    expect(allPrograms(syntheticOperations)).toContain(echo);
  });

  it.each([...toolOperations.values(), ...syntheticOperations.values()])(
    '$name has schemas that can be shown, closed to unknown fields',
    ({ input, result }) => {
      expect(toJsonSchema(input)).toMatchObject({ type: 'object', additionalProperties: false });
      expect(() => toJsonSchema(result)).not.toThrow();
    },
  );
});
