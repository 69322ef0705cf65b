import type { LlmCall, LlmBehaviour } from '../fake-llm/llm-server.ts';

/** Titles of the plan that the fake LLM answers with, and of the subtasks of any task. */
const TASK_TITLES = ['Door and entry', 'Borrowing and returning', 'Reservations', 'The van', 'Reports'];
const SUBTASK_TITLES = ['Reader at the door', 'Rules of entry', 'Log of entries'];

const numberedTasks = (titles: readonly string[]) =>
  titles.map((title, at) => ({
    id: at + 1,
    title,
    description: `Build: ${title}.`,
    details: `Build it behind the interface of the library: ${title}.`,
    testStrategy: `Try it with a member, and with somebody who is none: ${title}.`,
    ...(at > 0 ? { dependencies: [at] } : {}),
  }));

export const CANNED_ANSWERS = {
  tasks: numberedTasks(TASK_TITLES),
  subtasks: numberedTasks(SUBTASK_TITLES),
  /** The answer to a delegated request, by its schema. */
  answerTo({ schema }: { readonly schema: { readonly properties: object } }): object {
    return 'subtasks' in schema.properties ? { subtasks: this.subtasks } : { tasks: this.tasks };
  },
};

/** The same for an LLM endpoint, which finds the schema in the instructions. */
export function cannedLlmBehaviour({ system }: LlmCall): LlmBehaviour {
  const [, text] = /JSON Schema, and nothing around it:\n(.*)$/s.exec(system) ?? [];
  if (text === undefined) return { do: 'refuse', status: 400, message: 'no schema' };
  return { do: 'say', text: JSON.stringify(CANNED_ANSWERS.answerTo({ schema: JSON.parse(text) })) };
}
