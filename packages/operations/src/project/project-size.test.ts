import { expect, it } from 'vitest';
import { applyCommand, type ProjectCommand } from './command.ts';

const NOW = '2026-03-01T12:00:00.000Z';

it('never fills a project beyond what it may hold in all, whatever its tags, and lets it shrink', () => {
  const tag = (count: number) => ({
    tasks: Array.from({ length: count }, (_, index) => ({ id: index + 1, title: 'T' })),
  });
  const full = (other: number) =>
    applyCommand(undefined, { command: 'import', file: { a: tag(6_500), b: tag(other) } }, NOW).project;
  expect(() => full(6_001)).toThrow(/may hold 12500 tasks in all; these would be 12501/);
  const project = full(6_000);
  const more: ProjectCommand = {
    command: 'add_tasks',
    mode: 'append',
    tag: 'c',
    tasks: [{ id: 1, title: 'T', description: '' }],
  };
  expect(() => applyCommand(project, more, NOW)).toThrow(/12500/);
  expect(applyCommand(project, { command: 'delete_tag', name: 'b' }, NOW).project.tags.size).toBe(1);
});
