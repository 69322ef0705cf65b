import { expect, it } from 'vitest';
import type { Task } from '../model/task.ts';
import { TagTasks } from './tag-tasks.ts';

const taskOf = (id: number, title: string) => ({ id, title }) as unknown as Task;

/** Ids that count how often one of them is looked for. */
function countedIds(count: number) {
  const looks = { count: 0 };
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const indexOf = (id: number) => {
    looks.count++;
    return id - 1;
  };
  return { ids: Object.assign(ids, { indexOf }), looks };
}

it('makes a list anew of which much has changed, and looks for the place of none of thousands', () => {
  const tasks = new TagTasks();
  const { ids, looks } = countedIds(10_000);
  const never = () => expect.unreachable();
  for (const title of ['read', 'changed']) {
    for (const id of ids) tasks.set(id, taskOf(id, title));
    expect(tasks.inOrder(ids, never).map((task) => task.title)).toEqual(ids.map(() => title));
  }
  expect(looks.count).toBe(0);
  tasks.set(7, taskOf(7, 'alone'));
  const list = tasks.inOrder(ids, never);
  expect([list[5]?.title, list[6]?.title, list[7]?.title]).toEqual(['changed', 'alone', 'changed']);
  expect(looks.count).toBe(1);
});
