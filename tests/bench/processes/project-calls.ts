import { callTool, sendJson } from './keep-alive-http.ts';

/** A Baton to speak to, and the key to do it with. */
export interface Endpoint {
  readonly url: string;
  readonly key: string;
}

/** Puts a project there: so many tasks of the usual length, none of them split. */
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

/** What an agent answers to be asked to split a task. */
const SPLIT = {
  status: 'success',
  data: {
    object: {
      subtasks: [1, 2, 3].map((id) => ({ id, title: `Part ${id}`, description: 'What is done, and why.' })),
    },
  },
};

/** Calls a tool; gives its structured content. What it refuses with is thrown. */
export async function callForContent<T>({ url, key }: Endpoint, name: string, args: object): Promise<T> {
  const text = await callTool(url, key, name, args);
  const { result } = JSON.parse(text) as { result?: { isError?: boolean; structuredContent: T } };
  if (result === undefined || result.isError === true) throw new Error(`${name}: ${text.slice(0, 500)}`);
  return result.structuredContent;
}

/** Answers a request to split a task; gives how the task stands when it has come to a stand, or at once. */
export async function answerWithSubtasks(
  at: Endpoint,
  interactionId: string,
  waitMs = 20_000,
): Promise<string> {
  const args = { interactionId, agentLLMResponse: SPLIT, waitMs };
  return (await callForContent<{ outcome: { status: string } }>(at, 'agent_llm', args)).outcome.status;
}
