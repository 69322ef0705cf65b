import { readFileSync } from 'node:fs';
import type { Entry } from '@baton/engine';
import { replayProgram } from '@baton/engine/testing/replay-program';
import { DEFAULT_LIMITS, type JsonObject } from '@baton/protocol';
import { expect, it } from 'vitest';
import { allPrograms, toolOperations } from '../catalog/operation-catalog.ts';
import { applyCommand, type Command } from '../project/index.ts';
import { libraryProject } from './library-project.ts';
import { objectAnswer, TEST_NOW } from './run-program-in-memory.ts';
import { textAnswer } from './run-operation-in-memory.ts';

/** Tasks as a release before this one parked them: their reads hold rules, and nothing else of the project. */
interface Parked {
  readonly operation: string;
  readonly version: number;
  readonly input: JsonObject;
  readonly journal: readonly (readonly [path: string, entry: Entry])[];
  readonly asks: readonly (readonly [path: string, kind: string])[];
}

const PARKED = JSON.parse(
  readFileSync(new URL('parked-before-project-context.json', import.meta.url), 'utf8'),
) as Parked[];

const ANSWERS: Readonly<Record<string, unknown>> = {
  parse_prd: { tasks: [{ id: 1, title: 'T', description: 'D' }] },
  analyze_project_complexity: { complexityAnalysis: [{ taskId: 2, complexityScore: 3 }] },
  expand_task: { subtasks: [{ id: 1, title: 'T', description: 'D' }] },
  expand_all: { subtasks: [{ id: 1, title: 'T', description: 'D' }] },
  update: { tasks: [{ id: 2, title: 'New' }] },
  update_task: { id: 2, title: 'New' },
  add_task: { title: 'T', description: 'D' },
  scope_up_task: {
    title: 'New',
    subtasks: [{ id: 2, title: 'T', description: 'D' }],
    complexity: { complexityScore: 7 },
  },
  scope_down_task: {
    title: 'New',
    subtasks: [{ id: 2, title: 'T', description: 'D' }],
    complexity: { complexityScore: 2 },
  },
};

it('every operation has a task that an earlier release parked', () => {
  expect(new Set(PARKED.map(({ operation }) => operation))).toEqual(new Set(toolOperations.keys()));
});

it.each(PARKED)('a parked $operation goes on from the reads of an earlier release: $input', (parked) => {
  const program = allPrograms().find(
    ({ name, version }) => name === parked.operation && version === parked.version,
  )!;
  const journal = new Map<string, Entry>(parked.journal);
  let project = libraryProject();
  const asked: [string, string][] = [];
  for (let round = 0; round < 20; round++) {
    const step = replayProgram(program, parked.input, journal);
    if (step.status !== 'awaiting') {
      expect(step.status).toBe('completed');
      expect(asked).toEqual(parked.asks);
      return;
    }
    for (const { path, entry, drop } of step.collapsed) {
      for (const inner of drop) journal.delete(inner);
      journal.set(path, entry);
    }
    for (const { path, effect } of step.awaited) {
      if (effect.kind === 'llm') {
        asked.push([path, 'llm']);
        const wantsText = effect.call.request.schema === undefined;
        const value = wantsText ? textAnswer('A note.') : objectAnswer(ANSWERS[parked.operation]);
        journal.set(path, { kind: 'llm', ok: true, value });
      } else if (effect.kind === 'commit') {
        const applied = applyCommand(project, effect.command as Command, TEST_NOW);
        project = applied.project;
        journal.set(path, { kind: 'commit', ok: true, value: applied.outcome });
      } else if (effect.kind === 'read')
        journal.set(path, { kind: 'read', ok: true, value: effect.select(project as never, DEFAULT_LIMITS) });
    }
  }
  throw new Error('the program does not end');
});
