import { describe, expect, it } from 'vitest';
import { toSetStatusCommand, setTaskStatusInputSchema } from './task-status-tools.ts';

describe('set_task_status', () => {
  it('maps its arguments to the command', () => {
    const input = setTaskStatusInputSchema.parse({ id: 4, status: 'completed', tag: 'v2' });
    expect(toSetStatusCommand(input)).toEqual({
      command: 'set_status',
      id: '4',
      status: 'done',
      tag: 'v2',
    });
  });

  it.each([
    { id: '1' },
    { id: '1', status: 'asleep' },
    { status: 'done' },
    { id: '1', status: 'done', x: 1 },
  ])('refuses %j', (input) => {
    expect(setTaskStatusInputSchema.safeParse(input).success).toBe(false);
  });
});
