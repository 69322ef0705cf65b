import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { call, type Loose } from '../../harness/client.ts';

/** Starts an operation and answers whatever it asks, in any order, until it has ended; gives back how it ended. */
export async function runToTheEnd(
  clients: readonly Client[],
  agent: ScriptedAgent,
  operation: string,
  args: object,
): Promise<Loose> {
  const first = await call(clients[0]!, operation, args);
  if (first.error) return { status: 'failed', error: first.error };
  if (first.status === 'completed') return { status: 'completed', result: first };
  return answerAll(clients, agent, first.taskId);
}

/** Answers a task's open requests in turn, the last one first, each time through the next client. */
export async function answerAll(
  clients: readonly Client[],
  agent: ScriptedAgent,
  taskId: string,
): Promise<Loose> {
  for (let turn = 0; turn < 5_000; turn++) {
    const client = clients[turn % clients.length]!;
    const stands = await call(client, 'task_status', { taskId, waitMs: 5_000 });
    if (stands.status !== 'working' && stands.status !== 'input_required') return stands;
    const open: { interactionId: string }[] =
      stands.pendingInteractions ?? (stands.pending ? [stands.pending] : []);
    const last = open.at(-1);
    if (last === undefined) continue;
    const { interactions } = await call(client, 'pending_interactions', {
      interactionId: last.interactionId,
    });
    const [asked] = interactions;
    if (asked.interactionStatus !== 'pending') continue;
    const agentLLMResponse = agent.answer(asked.llmRequestForAgent);
    const posted = await client.callTool({
      name: 'agent_llm',
      arguments: { interactionId: last.interactionId, agentLLMResponse, waitMs: 5_000 },
    });
    if (posted.isError) throw new Error(JSON.stringify(posted.structuredContent).slice(0, 500));
  }
  throw new Error(`task ${taskId} does not end`);
}
