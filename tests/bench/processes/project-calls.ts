import { callToolForText, sendJson } from './minimal-http-client.ts';

/** A replica's base URL and an API key. */
export interface Endpoint {
  readonly url: string;
  readonly key: string;
}

/** Creates a project with `count` tasks of usual length and without subtasks. */
export async function createProject(
  { url, key }: Endpoint,
  projectRoot: string,
  count: number,
): Promise<void> {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    description: 'What it is about, in a sentence of the usual length.',
    details: 'How it is done, in more than one sentence. '.repeat(8),
  }));
  await sendJson(`${url}/v1/projects/${projectRoot}`, key, { master: { tasks } }, 'PUT');
}

/** An agent's answer to a request to expand a task. */
const SUBTASKS_ANSWER = {
  status: 'success',
  data: {
    object: {
      subtasks: [1, 2, 3].map((id) => ({ id, title: `Part ${id}`, description: 'What is done, and why.' })),
    },
  },
};

/** Calls a tool; returns its structured content. Errors: when the tool returns an error. */
export async function callToolForContent<T>({ url, key }: Endpoint, name: string, args: object): Promise<T> {
  const text = await callToolForText(url, key, name, args);
  const { result } = JSON.parse(text) as { result?: { isError?: boolean; structuredContent: T } };
  if (result === undefined || result.isError === true) throw new Error(`${name}: ${text.slice(0, 500)}`);
  return result.structuredContent;
}

/** Answers a request to expand a task; returns the task's status. */
export async function answerWithSubtasks(
  at: Endpoint,
  interactionId: string,
  waitMs = 20_000,
): Promise<string> {
  const args = { interactionId, agentLLMResponse: SUBTASKS_ANSWER, waitMs };
  return (await callToolForContent<{ outcome: { status: string } }>(at, 'agent_llm', args)).outcome.status;
}
