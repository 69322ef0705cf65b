import { describe, expect, it } from 'vitest';
import { type Task } from '../project/index.ts';
import { projectWithTasks } from '../testing/run-operation-in-memory.ts';
import { links, plan } from '../testing/tasks-with-dependencies.ts';
import { expectToolRefusal, callProjectToolInMemory } from '../testing/call-project-tool-in-memory.ts';
import { projectTools } from '../catalog/tool-catalog.ts';

describe('dependencies', () => {
  it.each([
    ['3', '3', ['3', '3']],
    ['1', '3', ['1', '3', '2', '1']],
    ['1.1', '1.3', ['1.1', '1.3', '1.2', '1.1']],
    ['1', '1.1', ['1', '1.1', '1']],
    ['1.1', '1', ['1.1', '1', '1.1']],
  ])('%s on %s is refused with the chain named', (id, dependsOn, chain) => {
    const error = expectToolRefusal('add_dependency', { id, dependsOn }, plan());
    expect(error.code).toBe('dependency_cycle');
    expect(error.details['chain']).toEqual(chain);
    expect(error.message).toContain(chain.join(' → '));
  });

  it('names the chain in short when it is long', () => {
    const long = projectWithTasks(
      Array.from({ length: 500 }, (_, at) => ({ id: at + 1, dependencies: at > 0 ? [at] : [] })),
    );
    expect(expectToolRefusal('add_dependency', { id: 1, dependsOn: 500 }, long).message.length).toBeLessThan(
      300,
    );
  });

  it('are added by lists and ranges, all or none', () => {
    expect(
      links(callProjectToolInMemory('add_dependency', { id: '5', dependsOn: '1-3' }, plan()).after)['5'],
    ).toEqual([1, 2, 3]);
    expect(expectToolRefusal('add_dependency', { id: '5', dependsOn: '1,4' }, plan()).code).toBe(
      'project_task_not_found',
    );
  });

  it('of subtasks mean what was said: a sibling by "1.1", a task by "5"', () => {
    const { after } = callProjectToolInMemory('add_dependency', { id: '1.2', dependsOn: '5' }, plan());
    expect(links(after)['1.2']).toEqual([1, 5]);
    const two = projectWithTasks([{ id: 1, subtasks: [{ id: 1 }, { id: 2 }] }, { id: 2 }]);
    expect(expectToolRefusal('add_dependency', { id: '1.1', dependsOn: '2' }, two).message).toContain(
      'sibling 1.2',
    );
  });

  it('are removed, and what is not there is told', () => {
    expect(
      links(callProjectToolInMemory('remove_dependency', { id: '2', dependsOn: '1.2' }, plan()).after)['2'],
    ).toEqual([1]);
    expect(expectToolRefusal('remove_dependency', { id: '2', dependsOn: '3' }, plan()).code).toBe(
      'dependency_not_found',
    );
  });

  it('are found valid, and mended where a project was broken', () => {
    expect(callProjectToolInMemory('validate_dependencies', {}, plan()).result).toMatchObject({
      valid: true,
      issues: [],
    });
    const tasks = plan()
      .tags.get('master')!
      .tasks.map((task) =>
        task.id === 1
          ? { ...task, dependencies: [3, 99, 99] }
          : task.id === 5
            ? { ...task, dependencies: [5] }
            : task,
      );
    const broken = { ...plan(), tags: new Map([['master', { ...plan().tags.get('master')!, tasks }]]) };
    const tool = projectTools.find(({ name }) => name === 'validate_dependencies')!;
    const found =
      tool.kind === 'view' && (tool.view(broken, { projectRoot: 'p' }) as { issues: { kind: string }[] });
    expect(found && found.issues.map(({ kind }) => kind).sort()).toEqual([
      'cycle',
      'duplicate',
      'missing',
      'missing',
      'self',
    ]);
    expect(callProjectToolInMemory('fix_dependencies', {}, broken).result['fixed']).not.toEqual([]);
  });
});

describe('a dependency between a task and its own subtask', () => {
  const apart = () =>
    projectWithTasks([
      { id: 1, subtasks: [{ id: 1 }] },
      { id: 2, dependencies: [1] },
    ]);
  const held = () => {
    const [task] = apart().tags.get('master')!.tasks as [Task];
    const tasks = [{ ...task, subtasks: task.subtasks.map((part) => ({ ...part, dependencies: ['1'] })) }];
    return { ...apart(), tags: new Map([['master', { ...apart().tags.get('master')!, tasks }]]) };
  };

  it.each([
    ['add_dependency', { id: '1.1', dependsOn: '1' }, 'dependency_cycle'],
    ['add_dependency', { id: '1', dependsOn: '1.1' }, 'dependency_cycle'],
    ['add_subtask', { id: '1', title: 'Dig', dependencies: '1' }, 'dependency_cycle'],
    ['add_subtask', { id: '1', taskId: '2' }, 'invalid_arguments'],
    ['move_task', { from: '2', to: '1.2' }, 'invalid_arguments'],
  ])('is refused by %s of %j', (tool, args, code) => {
    expect(expectToolRefusal(tool, args, apart()).code).toBe(code);
  });

  it('is found and mended where it stands', () => {
    const fixed = callProjectToolInMemory('fix_dependencies', {}, held());
    expect(fixed.result['fixed']).toMatchObject([{ kind: 'cycle', id: '1.1', dependsOn: '1' }]);
    expect(links(fixed.after)).toEqual({ 1: [], '1.1': [] });
  });
});
