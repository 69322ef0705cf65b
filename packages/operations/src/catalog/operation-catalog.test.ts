import { toJsonSchema } from '@baton/engine';
import { describe, expect, it } from 'vitest';
import { findProgram, toolOperations } from './operation-catalog.ts';
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

  it('finds every version that may be parked, and no other', () => {
    expect(findProgram('parse_prd', 1)?.name).toBe('parse_prd');
    expect(findProgram('delegated_call', 1)?.name).toBe('delegated_call');
    expect(findProgram('parse_prd', 2)).toBeUndefined();
    expect(findProgram('constructor', 1)).toBeUndefined();
  });

  it('finds the tests’ operations only where they are given', () => {
    expect(findProgram('bench_echo', 1)).toBeUndefined();
    expect(findProgram('bench_echo', 1, syntheticOperations)?.name).toBe('bench_echo');
  });

  it.each([...toolOperations.values(), ...syntheticOperations.values()])(
    '$name has schemas that can be shown, closed to unknown fields',
    ({ input, result }) => {
      expect(toJsonSchema(input)).toMatchObject({ type: 'object', additionalProperties: false });
      expect(() => toJsonSchema(result)).not.toThrow();
    },
  );
});
