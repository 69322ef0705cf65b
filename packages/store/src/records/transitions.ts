import type { InteractionStatus, TaskStatus } from '@baton/protocol';

/** One step of a task or an interaction from one status to another, and the scripts that take it; `new` is none yet. */
export interface Transition<Status extends string> {
  readonly from: Status | 'new';
  readonly to: Status;
  readonly by: readonly string[];
}

/** The states of a task. What has ended has no further transition, but that a failure may be retried. */
export const TASK_TRANSITIONS: readonly Transition<TaskStatus>[] = [
  { from: 'new', to: 'input_required', by: ['task/open'] },
  { from: 'new', to: 'working', by: ['task/open'] },
  { from: 'working', to: 'input_required', by: ['task/park'] },
  {
    from: 'input_required',
    to: 'working',
    by: ['interaction/accept_answer', 'task/cancel', 'deadline/expire', 'task/end_sleep'],
  },
  { from: 'working', to: 'completed', by: ['task/settle', 'workflow/complete_workflow'] },
  { from: 'input_required', to: 'completed', by: ['task/settle'] },
  { from: 'working', to: 'failed', by: ['task/settle', 'deadline/expire'] },
  { from: 'input_required', to: 'failed', by: ['task/settle', 'deadline/expire'] },
  { from: 'working', to: 'cancelled', by: ['task/cancel'] },
  { from: 'input_required', to: 'cancelled', by: ['task/cancel'] },
  { from: 'failed', to: 'working', by: ['task/retry'] },
];

/** The states of an interaction. The end of its task cancels or expires it. */
export const INTERACTION_TRANSITIONS: readonly Transition<InteractionStatus>[] = [
  { from: 'new', to: 'pending', by: ['task/open', 'task/park'] },
  { from: 'pending', to: 'answered', by: ['interaction/accept_answer', 'provider/answer_call'] },
  { from: 'pending', to: 'expired', by: ['deadline/expire'] },
  { from: 'pending', to: 'cancelled', by: ['task/cancel', 'task/settle'] },
];

/** Throws for a step that the data does not have; a status may stay as it is. */
export function requireTransition<Status extends string>(
  transitions: readonly Transition<Status>[],
  from: Status | 'new',
  to: Status,
): void {
  if (from === to || transitions.some((one) => one.from === from && one.to === to)) return;
  throw new Error(`no script takes anything from '${from}' to '${to}'`);
}

/** The transitions of both as a Mermaid state diagram; a step is labelled with the scripts that take it. */
export function transitionsDiagram(): string {
  return [
    'stateDiagram-v2',
    ...stateOf('Task', 'task', TASK_TRANSITIONS),
    ...stateOf('Interaction', 'interaction', INTERACTION_TRANSITIONS),
    '',
  ].join('\n');
}

function stateOf(title: string, id: string, transitions: readonly Transition<string>[]): string[] {
  const name = (status: string) => `${id}_${status}`;
  const statuses = [...new Set(transitions.map(({ to }) => to))];
  const ends = statuses.filter((status) => transitions.every(({ from }) => from !== status));
  return [
    `  state "${title}" as ${id} {`,
    ...statuses.map((status) => `    state "${status}" as ${name(status)}`),
    ...transitions.map(({ from, to, by }) => {
      const scripts = by.map((script) => script.replace(/^.*\//, '').toUpperCase()).join(', ');
      return `    ${from === 'new' ? '[*]' : name(from)} --> ${name(to)}: ${scripts}`;
    }),
    ...ends.map((status) => `    ${name(status)} --> [*]`),
    '  }',
  ];
}
