import type { ReadLimits } from '@baton/engine';
import { type AgentAnswer, type DelegatedCall, messageText } from '@baton/protocol';
import { expect } from 'vitest';
import type { Operation } from '../definition/operation.ts';
import { applyCommand, type Project } from '../project/index.ts';
import { findInvariantViolations } from './project-invariants.ts';
import { runProgramInMemory, TEST_NOW, objectAnswer } from './run-program-in-memory.ts';

type Given = Record<string, unknown>;

/** A project of one tag with these tasks; titles and what else a file needs are filled in. */
export function projectWithTasks(tasks: readonly Given[], tag = 'master'): Project {
  const titled = tasks.map((task) => ({
    title: `Task ${String(task['id'])}`,
    description: 'What it is',
    ...task,
    subtasks: ((task['subtasks'] ?? []) as Given[]).map((part) => ({
      title: `Part ${String(part['id'])}`,
      ...part,
    })),
  }));
  return applyCommand(undefined, { command: 'import', file: { [tag]: { tasks: titled } } }, TEST_NOW).project;
}

export interface RunOptions {
  readonly before?: Project | undefined;
  readonly limits?: ReadLimits;
  /** Answers in turn, the last one again and again; or what answers. */
  readonly answers?:
    | readonly AgentAnswer[]
    | ((call: DelegatedCall, projects: Map<string, Project>) => AgentAnswer);
}

/** Runs an operation on project `default`, and holds its result and what it leaves against their shapes. */
export function runOperationInMemory(
  operation: Operation,
  input: object,
  { before, answers = [], limits }: RunOptions = {},
) {
  const projects = new Map(before ? [['default', before]] : []);
  const answer = (call: DelegatedCall, asked: number): AgentAnswer =>
    typeof answers === 'function'
      ? answers(call, projects)
      : (answers[Math.min(asked, answers.length) - 1] ?? objectAnswer({}));
  const { end, transcript, calls } = runProgramInMemory(operation, operation.input.parse(input), {
    projects,
    answer,
    ...(limits === undefined ? {} : { limits }),
  });
  const after = projects.get('default');
  if (after) expect(findInvariantViolations(after)).toEqual([]);
  if (end.status === 'completed') {
    expect(operation.result.safeParse(end.result).error).toBeUndefined();
    expect(operation.summarize(end.result)).toMatch(/\.$|:/);
  }
  const tasks = (tag = 'master') => after?.tags.get(tag)?.tasks ?? [];
  return {
    end,
    transcript,
    calls,
    after,
    tasks,
    task: (id: number, tag?: string) => tasks(tag).find((one) => one.id === id),
  };
}

export function sentPromptText(call: DelegatedCall | undefined): string {
  return call?.request.messages.map(messageText).join('\n') ?? '';
}

export const textAnswer = (said: string): AgentAnswer => ({ status: 'success', data: { text: said } });
