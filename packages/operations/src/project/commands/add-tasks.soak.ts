import { describe, expect, it } from 'vitest';
import { applyCommand, type ProjectCommand } from '../command.ts';
import { findInvariantViolations } from '../../testing/project-invariants.ts';

describe('an answer as large as one may be', () => {
  const count = 500;
  const tasks = (id: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => ({
      id: id(index),
      title: `T${index + 1}`,
      description: '',
      dependencies: Array.from({ length: 200 }, (_value, step) => ((index + step) % count) + 1),
    }));

  it.each([
    ['in one ring', (index: number) => index + 1],
    ['under one id', () => 1],
  ])('is put in without holding up the process, %s', (_what, id) => {
    const command: ProjectCommand = {
      command: 'add_tasks',
      tag: 'master',
      mode: 'append',
      tasks: tasks(id),
    };
    const before = process.cpuUsage();
    const { project } = applyCommand(undefined, command, '2026-03-01T12:00:00.000Z');
    const { user, system } = process.cpuUsage(before);
    expect(findInvariantViolations(project)).toEqual([]);
    // Of the processor's time, which a busy machine does not stretch. It was 400 ms when every one looked at all others.
    expect((user + system) / 1_000).toBeLessThan(250);
  });
});
