import type { Entry } from '@baton/engine';
import { replayProgram } from '@baton/engine/testing/replay-program';
import { DEFAULT_LIMITS } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { applyCommand } from '../project/index.ts';
import { TEST_NOW, objectAnswer } from '../testing/run-program-in-memory.ts';
import {
  projectWithTasks,
  runOperationInMemory,
  sentPromptText,
} from '../testing/run-operation-in-memory.ts';
import { expandAllOperation } from './program.ts';

const PARTS = { subtasks: [{ id: 1, title: 'New', description: 'Why' }] };
const many = (count: number) => projectWithTasks(Array.from({ length: count }, (_, at) => ({ id: at + 1 })));

describe('expand_all version 2', () => {
  it('reads, then for each task reads, asks, commits: its golden transcript', () => {
    const { transcript } = runOperationInMemory(
      expandAllOperation,
      {},
      { before: many(2), answers: [objectAnswer(PARTS)] },
    );
    expect(transcript).toEqual([
      '0 read',
      '1.0.0 read',
      '1.1.0 read',
      '1.0.1 llm',
      '1.1.1 llm',
      '1.0.2 commit',
      '1.1.2 commit',
    ]);
  });

  it('takes pending and in-progress tasks without subtasks, and with force those with some', () => {
    const before = projectWithTasks([
      { id: 1 },
      { id: 2, status: 'in-progress' },
      { id: 3, status: 'done' },
      { id: 4, status: 'deferred' },
      { id: 5, subtasks: [{ id: 1 }] },
    ]);
    const ids = (input: object) =>
      (
        runOperationInMemory(expandAllOperation, input, { before, answers: [objectAnswer(PARTS)] }).end as {
          result?: { expanded: { id: number }[] };
        }
      ).result?.expanded.map(({ id }) => id);
    expect(ids({})).toEqual([1, 2]);
    expect(ids({ force: true })).toEqual([1, 2, 5]);
  });

  it('lists what failed, and keeps what succeeded', () => {
    const { end, task } = runOperationInMemory(
      expandAllOperation,
      {},
      {
        before: many(3),
        answers: (call) =>
          sentPromptText(call).includes('<task>\n{"id":2,')
            ? { status: 'error', errorDetails: { message: 'No more credit.', type: 'billing' } }
            : objectAnswer(PARTS),
      },
    );
    expect(end).toMatchObject({
      result: {
        expandedCount: 2,
        failedCount: 1,
        failed: [{ id: 2, code: 'agent_error', message: expect.stringContaining('No more credit.') }],
      },
    });
    expect(task(1)?.subtasks).toHaveLength(1);
    expect(task(2)?.subtasks).toHaveLength(0);
  });

  it('lists a task that was removed meanwhile, and goes on with the others', () => {
    let removed = false;
    const { end } = runOperationInMemory(
      expandAllOperation,
      {},
      {
        before: many(3),
        answers: (_call, projects) => {
          if (!removed)
            projects.set(
              'default',
              applyCommand(projects.get('default'), { command: 'remove_tasks', id: '3' }, TEST_NOW).project,
            );
          removed = true;
          return objectAnswer(PARTS);
        },
      },
    );
    expect(end).toMatchObject({
      result: { expandedCount: 2, failed: [{ id: 3, code: 'project_task_not_found' }] },
    });
  });

  it('does nothing where nothing is to be split', () => {
    const { end, calls } = runOperationInMemory(
      expandAllOperation,
      {},
      { before: projectWithTasks([{ id: 1, status: 'done' }]) },
    );
    expect(calls).toEqual([]);
    expect(end).toMatchObject({ status: 'completed', result: { tasksToExpand: 0 } });
  });
});

describe('a thousand tasks', () => {
  const before = many(1_000);

  const failed = {
    status: 'error' as const,
    errorDetails: { message: 'x'.repeat(5_000), type: 'billing' },
  };

  it('give a result that clients take, even when all but one of them fail', () => {
    let asked = 0;
    const failing = () => (asked++ === 0 ? objectAnswer(PARTS) : failed);
    const { end } = runOperationInMemory(expandAllOperation, { atOnce: 32 }, { before, answers: failing });
    expect(end).toMatchObject({ result: { failedCount: 999, expandedCount: 1 } });
    expect(JSON.stringify(end).length).toBeLessThan(160_000);
  });

  it('fail with the first failure where every one of them fails, so that the task can be retried', () => {
    const { end } = runOperationInMemory(expandAllOperation, {}, { before: many(3), answers: () => failed });
    expect(end).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
  });

  it.each([1, 8, 32])(
    'never open more than atOnce %i, and leave one short journal entry for each that is finished',
    (atOnce) => {
      const input = expandAllOperation.input.parse({ atOnce });
      const journal = new Map<string, Entry>();
      const kept = (entry: Entry) => JSON.parse(JSON.stringify(entry)) as Entry;
      let project = before;
      let finished = 0;
      while (finished < 60) {
        const step = replayProgram(expandAllOperation, input, journal);
        if (step.status !== 'awaiting') throw new Error('it ended');
        for (const { path, entry, drop } of step.collapsed) {
          for (const gone of drop) journal.delete(gone);
          journal.set(path, kept(entry));
          finished++;
        }
        const reads = step.awaited.filter(({ effect }) => effect.kind !== 'llm');
        expect(step.awaited.length).toBeLessThanOrEqual(atOnce);
        for (const { path, effect } of reads) {
          if (effect.kind === 'read')
            journal.set(
              path,
              kept({ kind: 'read', ok: true, value: effect.select(project as never, DEFAULT_LIMITS) }),
            );
          if (effect.kind !== 'commit') continue;
          const applied = applyCommand(project, effect.command as never, TEST_NOW);
          project = applied.project;
          journal.set(path, kept({ kind: 'commit', ok: true, value: applied.outcome }));
        }
        // The last of those that wait is answered first.
        const last = reads.length === 0 ? step.awaited.at(-1) : undefined;
        if (last) journal.set(last.path, kept({ kind: 'llm', ok: true, value: objectAnswer(PARTS) }));
      }
      const branches = [...journal].filter(([, { kind }]) => kind === 'branch');
      expect(branches.length).toBeGreaterThanOrEqual(60);
      expect(Math.max(...branches.map(([, entry]) => JSON.stringify(entry).length))).toBeLessThan(120);
      expect(journal.size - branches.length).toBeLessThanOrEqual(1 + atOnce * 3);
    },
  );
});
