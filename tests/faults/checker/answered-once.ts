import type { AnyJson } from '../../harness/mcp-client.ts';

/** Evidence against: every request of a task, as REST shows it, was answered, and once. `what` names the task. */
export function checkAnsweredOnce(what: string, { timeline, interactions }: AnyJson): string[] {
  const answers = timeline.filter(({ event }: AnyJson) => event === 'interaction_answered');
  const ids = new Set(answers.map(({ interactionId }: AnyJson) => interactionId));
  return [
    ...(ids.size === answers.length ? [] : [`${what} has ${answers.length} answers to ${ids.size} requests`]),
    ...interactions.flatMap(({ interactionId, status }: AnyJson) =>
      status === 'answered' ? [] : [`request ${interactionId} of ${what} is ${status}`],
    ),
  ];
}
