import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { ScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { callTool, type AnyJson } from '../../harness/mcp-client.ts';

/** Starts an operation and answers its requests until it has ended; returns its final status. */
export async function runOperationToEnd(
  clients: readonly Client[],
  agent: ScriptedAgent,
  operation: string,
  args: object,
): Promise<AnyJson> {
  const first = await callTool(clients[0]!, operation, args);
  if (first.error) return { status: 'failed', error: first.error };
  if (first.status === 'completed') return { status: 'completed', result: first };
  return answerUntilEnd(clients, agent, first.taskId);
}

/** Answers a task's open requests, the last one first, each through the next client. */
export async function answerUntilEnd(
  clients: readonly Client[],
  agent: ScriptedAgent,
  taskId: string,
): Promise<AnyJson> {
  for (let turn = 0; turn < 5_000; turn++) {
    const client = clients[turn % clients.length]!;
    const stands = await callTool(client, 'task_status', { taskId, waitMs: 5_000 });
    if (stands.status !== 'working' && stands.status !== 'input_required') return stands;
    const open: { interactionId: string }[] =
      stands.pendingInteractions ?? (stands.pending ? [stands.pending] : []);
    const last = open.at(-1);
    if (last === undefined) continue;
    const { interactions } = await callTool(client, 'pending_interactions', {
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
