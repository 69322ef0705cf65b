import type { World } from './agent.ts';
import type { Entry } from './history.ts';
import type { Plan } from './plan.ts';
import { callTool } from './rpc.ts';
import { sayOf } from './say.ts';

const AT_ONCE = 16;

/**
 * Repeats every answer that was told to be taken, when all is at rest: whatever Redis has lost meanwhile, it is to be
 * answered as a repeat. The replies join the history.
 */
export async function probe(
  { fleet, history }: Pick<World, 'fleet' | 'history'>,
  entries: readonly Entry[],
  clients: readonly Pick<Plan, 'key' | 'call'>[],
): Promise<void> {
  const tools = new Map(clients.map(({ key, call }) => [key, call.tool]));
  const taken = new Set(
    entries.flatMap((entry) =>
      entry.type === 'reply' && (entry.reply.verdict === 'accepted' || entry.reply.verdict === 'replayed')
        ? [entry.id]
        : [],
    ),
  );
  const answers = new Map(
    entries.flatMap((entry) =>
      entry.type === 'invoke' && entry.request.f === 'answer' && taken.has(entry.id)
        ? [[`${entry.request.interactionId} ${entry.request.mark}`, entry] as const]
        : [],
    ),
  );
  const left = [...answers.values()];
  const repeat = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const { request, client } = one;
      const { name, url = '' } =
        fleet.gateways[left.length % fleet.gateways.length] ?? fleet.member('gateway-0');
      if (request.f !== 'answer') continue;
      const agentLLMResponse = sayOf(request.kind, request.mark, tools.get(client) ?? '');
      const args = { interactionId: request.interactionId, agentLLMResponse, waitMs: 0 };
      const id = history.invoke(client, name, request);
      const called = await callTool(url, fleet.apiKey, { name: 'agent_llm', arguments: args }, 10_000);
      if (called.kind === 'unknown') history.add({ type: 'unknown', id, why: called.why });
      else {
        const verdict =
          called.kind === 'refused' ? called.code : called.content.replayed ? 'replayed' : 'accepted';
        history.add({ type: 'reply', id, reply: { verdict } });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, repeat));
}
