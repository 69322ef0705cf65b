import { describe, expect, it } from 'vitest';
import { projectWithTasks } from '../testing/run-operation-in-memory.ts';
import { expectToolRefusal, callProjectToolInMemory } from '../testing/call-project-tool-in-memory.ts';

describe('a call that names very much', () => {
  const large = projectWithTasks(
    Array.from({ length: 5_000 }, (_, at) => ({ id: at + 1, dependencies: at > 0 ? [at] : [] })),
  );
  const all = Array.from({ length: 60 }, (_, at) => 9_001 + at).join(',');

  it.each([
    ['add_dependency', { id: '1-1000', dependsOn: '2000-2500' }, 'limit_size'],
    ['add_dependency', { id: Array(1_000).fill('1-2000').join(','), dependsOn: '1' }, 'invalid_arguments'],
    ['move_task', { from: '1-60', to: '2' }, 'invalid_arguments'],
    [
      'move_task',
      { from: Array.from({ length: 60 }, (_, at) => at + 1).join(','), to: all },
      'invalid_arguments',
    ],
  ])('%s is refused', (name, input, code) => {
    expect(expectToolRefusal(name, input, large).code).toBe(code);
  });

  it('is done where it is allowed', () => {
    callProjectToolInMemory('add_dependency', { id: '5000', dependsOn: '4001-4400' }, large);
    callProjectToolInMemory(
      'move_task',
      {
        from: Array.from({ length: 20 }, (_, at) => at + 1).join(','),
        to: all.split(',').slice(0, 20).join(','),
      },
      large,
    );
    callProjectToolInMemory('clear_subtasks', { all: true }, large);
  });
});
