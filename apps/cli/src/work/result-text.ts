import { isRecord } from '@baton/protocol';
import type { Output } from '../output/print.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { yamlText } from '../output/yaml-text.ts';

/** What a tool replied, or the outcome of an answer, for people. */
export function describeResult(
  result: Readonly<Record<string, unknown>>,
): Pick<Output, 'text' | 'table' | 'notes'> {
  if (result['status'] === 'pending_agent_llm_action') return describeDirective(result);
  const { tasks, ...rest } = result;
  if (!isTaskList(tasks)) return { text: yamlText(result) };
  const scalars = Object.entries(rest).filter(([, value]) => typeof value !== 'object');
  return {
    text: scalars.map(([name, value]) => `${name}: ${String(value)}`).join('\n'),
    table: [TASK_COLUMNS, ...tasks.map(taskRow)],
  };
}

/** A result whose one request has its summary, as those of several have: Baton is asked for it, and without it the operation is shown. */
export async function withSummary(
  result: Readonly<Record<string, unknown>>,
  rest: RestClient,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, interactionId, pendingInteractions } = result;
  if (status !== 'pending_agent_llm_action' || pendingInteractions !== undefined) return result;
  const path = `/interactions/${encodeURIComponent(String(interactionId))}`;
  const asked = await rest.request<{ summary?: string }>('GET', path).catch(() => undefined);
  return asked?.summary === undefined ? result : { ...result, summary: asked.summary };
}

/** Requests that wait for an LLM, and how each is answered. */
function describeDirective(
  directive: Readonly<Record<string, unknown>>,
): Pick<Output, 'text' | 'table' | 'notes'> {
  const { operation, interactionId, taskId, expiresAt, pendingInteractions } = directive;
  const all = Array.isArray(pendingInteractions) ? pendingInteractions.filter(isRecord) : [directive];
  const several = all.length > 1 ? ` for ${all.length} answers of an LLM` : ' for an answer of an LLM';
  return {
    text: `${String(operation)} waits${several}. Its task is ${String(taskId)}.`,
    table: [
      ['interaction', 'until', 'request'],
      ...all.map((one) => [
        String(one['interactionId'] ?? interactionId),
        String(one['expiresAt'] ?? expiresAt),
        String(one['summary'] ?? operation),
      ]),
    ],
    notes: howToAnswer(String(interactionId)),
  };
}

/** The three things to do about a request that waits. */
export function howToAnswer(interactionId: string): string[] {
  return [
    `Read the request:  baton show ${interactionId}`,
    `Answer it:         baton answer ${interactionId} @answer.json`,
    'By an LLM:         baton agent --once',
  ];
}

interface ListedTask {
  readonly id: number | string;
  readonly title: string;
  readonly status: string;
  readonly priority?: string;
  readonly dependencies?: readonly unknown[];
}

const TASK_COLUMNS = ['id', 'status', 'priority', 'after', 'title'];

function isTaskList(value: unknown): value is readonly ListedTask[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => isRecord(one) && 'id' in one && typeof one['title'] === 'string' && 'status' in one)
  );
}

function taskRow({ id, status, priority = '', dependencies = [], title }: ListedTask) {
  return [id, status, priority, dependencies.join(','), title];
}
