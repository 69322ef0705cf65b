import { expect, it } from 'vitest';
import { callProjectToolInMemory } from '../testing/call-project-tool-in-memory.ts';

it('a project has its first tasks added once, and tells those that it added', () => {
  const tasks = [
    { title: 'Kettle', description: 'Buy one.', priority: 'high' },
    { title: 'Tea', description: 'Three sorts.' },
    { title: 'Tea', description: 'Named twice.' },
  ];
  const first = callProjectToolInMemory('initialize_project', { tasks });
  expect(first.result['tasks_created']).toEqual([
    { id: 1, title: 'Kettle', status: 'pending' },
    { id: 2, title: 'Tea', status: 'pending' },
  ]);
  const more = [...tasks, { title: 'Cups', description: 'Six.' }];
  const again = callProjectToolInMemory('initialize_project', { tasks: more }, first.after);
  expect(again.result['tasks_created']).toEqual([{ id: 3, title: 'Cups', status: 'pending' }]);
  expect(again.after?.tags.get('master')?.tasks.map(({ title }) => title)).toEqual(['Kettle', 'Tea', 'Cups']);
});
