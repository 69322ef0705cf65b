import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { TEST_NOW } from '../testing/run-program-in-memory.ts';
import { projectWithTasks } from '../testing/run-operation-in-memory.ts';
import { links, plan } from '../testing/tasks-with-dependencies.ts';
import { expectToolRefusal, callProjectToolInMemory } from '../testing/call-project-tool-in-memory.ts';
import { projectStatus, rulesMarkdown } from '../views/index.ts';
import { projectTools } from '../catalog/tool-catalog.ts';

describe('every tool', () => {
  it('has a name of its own, says what it does to a project, and bears the hint when it destroys', () => {
    expect(new Set(projectTools.map(({ name }) => name)).size).toBe(projectTools.length);
    const destructive = projectTools.filter(({ hints }) => hints.destructiveHint).map(({ name }) => name);
    expect(destructive).toEqual([
      'initialize_project',
      'set_task_status',
      'add_subtask',
      'remove_task',
      'remove_subtask',
      'clear_subtasks',
      'move_task',
      'attach_to_task',
      'remove_dependency',
      'fix_dependencies',
      'delete_tag',
      'set_rules',
      'response_language',
      'connect_files',
    ]);
    for (const { kind, hints } of projectTools) expect(hints.readOnlyHint).toBe(kind === 'view');
  });

  it.each(projectTools.map(({ name, input }) => [name, input] as const))(
    '%s refuses arguments that it does not know',
    (_name, input) => {
      expect(input.safeParse({ nonsense: 1 }).success).toBe(false);
    },
  );
});

describe('removing', () => {
  it('takes what waited for it along, and never turns a dependency into another', () => {
    // Without care 1.3's dependency on its sibling 2 would become one on task 2.
    const { after } = callProjectToolInMemory('remove_task', { id: '1.2' }, plan());
    expect(links(after)).toEqual({ 1: [], '1.1': [], '1.3': [5], 2: [1], 3: [2], 5: [] });
  });

  it('removes several at once, or nothing', () => {
    expect(callProjectToolInMemory('remove_task', { id: '2, 1.1' }, plan()).result['removed']).toHaveLength(
      2,
    );
    expect(expectToolRefusal('remove_task', { id: '2,77' }, plan()).details).toMatchObject({ id: '77' });
  });

  it('makes tasks of subtasks, whose dependencies follow', () => {
    const { after, result } = callProjectToolInMemory('remove_subtask', { id: '1.2', convert: true }, plan());
    expect(links(after)).toEqual({ 1: [], '1.1': [], '1.3': [6, 5], 2: [1, 6], 3: [2], 5: [], 6: ['1.1'] });
    expect(result['converted']).toMatchObject([{ id: 6, title: 'Part 2', priority: 'medium' }]);
  });

  it('clears subtasks of some tasks or of all, never of neither', () => {
    expect(callProjectToolInMemory('clear_subtasks', { all: true }, plan()).result['cleared']).toEqual([
      { id: 1, subtasksRemoved: 3 },
    ]);
    expect(links(callProjectToolInMemory('clear_subtasks', { id: 1 }, plan()).after)['2']).toEqual([1]);
    expect(projectTools.find(({ name }) => name === 'clear_subtasks')!.input.safeParse({}).success).toBe(
      false,
    );
  });
});

describe('move_task', () => {
  it.each([
    [
      'a task to another number',
      { from: '1', to: '9' },
      { 9: [], '9.1': [], '9.2': [1], '9.3': [2, 5], 2: [9, '9.2'] },
    ],
    ['a subtask to a task of its own', { from: '1.2', to: '4' }, { 4: ['1.1'], '1.3': [4, 5], 2: [1, 4] }],
    ['a task to a subtask', { from: '5', to: '1.4' }, { '1.4': [], '1.3': [2, 4] }],
    ['a subtask to another task', { from: '1.1', to: '3.1' }, { '3.1': [], '1.2': ['3.1'] }],
    ['several at once', { from: '3,5', to: '13,15' }, { 13: [2], 15: [], '1.3': [2, 15] }],
  ])('moves %s, dependencies following', (_what, input, expected) => {
    const after = links(callProjectToolInMemory('move_task', input, plan()).after);
    for (const [id, dependencies] of Object.entries(expected))
      expect([id, after[id]]).toEqual([id, dependencies]);
  });

  it('takes a subtask to the place of a sibling', () => {
    const { tasks, result } = callProjectToolInMemory('move_task', { from: '1.3', to: '1.1' }, plan());
    expect(tasks()[0]?.subtasks.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(result).toMatchObject({ moved: [], reordered: [{ id: '1.3', placeOf: '1.1' }] });
  });

  it.each([
    [{ from: '1', to: '2' }, 'taken'],
    [{ from: '1', to: '2.1' }, 'subtasks of its own'],
    [{ from: '5', to: '5.1' }, 'within task 5'],
    [{ from: '1,2', to: '9' }, '1 places for the 2'],
    // In task 1, which has a subtask 2, the number 2 cannot mean task 2.
    [{ from: '3', to: '1.4' }, 'means its sibling'],
  ])('refuses %j and changes nothing', (input, told) => {
    const error = expectToolRefusal('move_task', input, plan());
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(told);
  });

  it('takes tasks to another tag, asking what is to become of dependencies in between', () => {
    const two = callProjectToolInMemory('add_tag', { name: 'v2' }, plan()).after;
    const to = { from: '2', fromTag: 'master', toTag: 'v2' };
    expect(expectToolRefusal('move_task', to, two).message).toContain('2 → 1');
    const dropped = callProjectToolInMemory('move_task', { ...to, ignoreDependencies: true }, two);
    expect(links(dropped.after, 'v2')).toEqual({ 2: [] });
    expect(links(dropped.after)['3']).toEqual([]);
    const along = callProjectToolInMemory('move_task', { ...to, withDependencies: true }, two);
    expect(along.tasks('v2').map(({ id }) => id)).toEqual([1, 2, 5]);
  });

  it('gives tasks whose numbers are taken in the other tag new ones, which their dependencies follow', () => {
    const tag = (tasks: object[]) => ({ tasks, metadata: {} });
    const subtasks = [
      { id: 1, title: 'S', dependencies: ['1.2'] },
      { id: 2, title: 'T' },
    ];
    const file = {
      master: tag([
        { id: 1, title: 'A', subtasks },
        { id: 2, title: 'B', dependencies: [1, '1.2'] },
        { id: 3, title: 'C' },
      ]),
      v2: tag([
        { id: 1, title: 'Z' },
        { id: 4, title: 'Y', dependencies: [1] },
      ]),
    };
    const before = applyCommand(undefined, { command: 'import', file }, '2026-01-01T00:00:00.000Z').project;
    const { result, after } = callProjectToolInMemory(
      'move_task',
      { from: '2,3', fromTag: 'master', toTag: 'v2', withDependencies: true },
      before,
    );
    expect(result).toMatchObject({
      moved: [
        { from: '1', to: '5' },
        { from: '2', to: '2' },
        { from: '3', to: '3' },
      ],
      droppedDependencies: [],
    });
    expect(links(after, 'v2')).toEqual({
      1: [],
      2: [5, '5.2'],
      3: [],
      4: [1],
      5: [],
      '5.1': [2],
      '5.2': [],
    });
    expect(links(after)).toEqual({});
  });
});

describe('add_subtask', () => {
  it('adds a new one, its dependencies by outside ids', () => {
    const { result } = callProjectToolInMemory(
      'add_subtask',
      { id: 1, title: 'More', dependencies: '1.1,5', status: 'todo' },
      plan(),
    );
    expect(result).toMatchObject({ id: '1.4', subtask: { id: 4, dependencies: [1, 5], status: 'pending' } });
  });

  it('makes one of a task, which then is no task any more', () => {
    const { result, after } = callProjectToolInMemory(
      'add_subtask',
      { id: 1, taskId: 3 },
      projectWithTasks([{ id: 1 }, { id: 2, dependencies: [3] }, { id: 3 }]),
    );
    expect(result).toMatchObject({ id: '1.1', subtask: { title: 'Task 3' } });
    expect(links(after)).toEqual({ 1: [], '1.1': [], 2: ['1.1'] });
  });

  it.each([
    [{ id: 1, taskId: 1 }, 'invalid_arguments'],
    [{ id: 2, taskId: 1 }, 'invalid_arguments'],
    [{ id: 1, title: 'T', dependencies: '88' }, 'project_task_not_found'],
    [{ id: 77, title: 'T' }, 'project_task_not_found'],
  ])('refuses %j', (input, code) => {
    expect(expectToolRefusal('add_subtask', input, plan()).code).toBe(code);
  });
});

describe('tags', () => {
  it('are made, copied, renamed, switched to and deleted, with the complexity known of them', () => {
    let project = callProjectToolInMemory(
      'add_tag',
      { name: 'v2', copyFromCurrent: true, description: 'Next' },
      plan(),
    ).after;
    project = callProjectToolInMemory('copy_tag', { sourceName: 'v2', targetName: 'v3' }, project).after;
    project = callProjectToolInMemory('rename_tag', { oldName: 'master', newName: 'main' }, project).after;
    expect(callProjectToolInMemory('list_tags', { showMetadata: true }, project).result).toMatchObject({
      currentTag: 'main',
      tags: [
        { name: 'main', isCurrent: true, taskCount: 4 },
        { name: 'v2', metadata: { description: 'Next' } },
        { name: 'v3' },
      ],
    });
    project = callProjectToolInMemory('use_tag', { name: 'v3' }, project).after;
    expect(callProjectToolInMemory('delete_tag', { name: 'v3' }, project).result).toMatchObject({
      currentTag: 'main',
      tasksDeleted: 4,
    });
  });

  it.each([
    ['add_tag', { name: 'master' }, 'tag_exists'],
    ['copy_tag', { sourceName: 'none', targetName: 'v2' }, 'tag_not_found'],
    ['rename_tag', { oldName: 'none', newName: 'v2' }, 'tag_not_found'],
    ['delete_tag', { name: 'master' }, 'invalid_arguments'],
    ['use_tag', { name: 'none' }, 'tag_not_found'],
  ])('%s %j is refused', (name, input, code) => {
    expect(expectToolRefusal(name, input, plan()).code).toBe(code);
  });
});

describe('a project', () => {
  it('has the shape of initialize_project in task-master, and is started again without losing anything', () => {
    const rules = ['Tests first.', 'No globals.'];
    const first = callProjectToolInMemory('initialize_project', {
      projectRoot: '/home/ada/shop',
      name: 'Shop',
      techStack: 'Node',
      rules,
    });
    expect(first.result).toMatchObject({
      operation: 'initialize_project',
      workspace: { id: '/home/ada/shop', path: '/home/ada/shop', name: 'Shop' },
      tasks_created: [],
      rules_applied: rules,
      setup_complete: true,
    });
    const again = callProjectToolInMemory('initialize_project', { requirements: 'Sell tea.' }, first.after);
    expect(again.after?.about).toEqual({
      name: 'Shop',
      techStack: 'Node',
      requirements: 'Sell tea.',
      created: TEST_NOW,
    });
    expect(again.after?.rules).toEqual(rules);
  });

  it('has rules, set whole or added to, shown as Markdown', () => {
    const { after } = callProjectToolInMemory('set_rules', { rules: 'One.' }, plan());
    const more = callProjectToolInMemory(
      'set_rules',
      { rules: ['Two.', '## Three\n\nLong.'], append: true },
      after,
    ).after;
    expect(rulesMarkdown(more, 'p')).toBe('# Rules of p\n\n- One.\n\n- Two.\n\n## Three\n\nLong.\n\n');
    expect(callProjectToolInMemory('set_rules', { rules: [] }, more).after?.rules).toEqual([]);
  });

  it('has files, each under its name, within bounds', () => {
    const { result, after } = callProjectToolInMemory(
      'connect_files',
      { files: [{ name: 'prd.md', text: 'Tea.' }] },
      plan(),
    );
    expect(result['files']).toEqual([{ name: 'prd.md', length: 4, updated: TEST_NOW }]);
    expect(callProjectToolInMemory('connect_files', { remove: ['prd.md'] }, after).result['files']).toEqual(
      [],
    );
    expect(expectToolRefusal('connect_files', { remove: ['none'] }, after).code).toBe('file_not_found');
    const large = Array.from({ length: 3 }, (_, at) => ({ name: `${at}`, text: 'x'.repeat(400_000) }));
    expect(expectToolRefusal('connect_files', { files: large }, plan()).code).toBe('limit_size');
  });

  it('keeps rules, files and complexity through an import', () => {
    let project = callProjectToolInMemory('set_rules', { rules: ['One.'] }, plan()).after;
    project = callProjectToolInMemory('connect_files', { files: [{ name: 'a', text: 'b' }] }, project).after;
    const { project: after } = applyCommand(
      project,
      { command: 'import', file: { master: { tasks: [] } } },
      TEST_NOW,
    );
    expect([after.rules, after.files.size]).toEqual([['One.'], 1]);
  });

  it('tells how it stands', () => {
    expect(projectStatus(plan(), { projectRoot: 'p' })).toMatchObject({
      tag: 'master',
      stats: { total: 4 },
      next: { id: 1 },
    });
  });
});

it('shows no complexity before anything was analyzed', () => {
  expect(callProjectToolInMemory('complexity_report', {}, plan()).result).toMatchObject({ report: null });
  expect(expectToolRefusal('complexity_report', {}).code).toBe('project_not_found');
});
