import type { RunContext } from './planned-client.ts';
import type { HistoryEntry } from '../checker/history.ts';
import type { ClientPlan } from './client-plan.ts';
import { callToolForOutcome } from './tool-call.ts';
import { buildAnswerBody } from './answer-body.ts';

const CONCURRENCY = 16;

/**
 * Repeats every accepted answer after the run: each must be `replayed`, whatever faults there were. The replies join the
 * history.
 */
export async function repeatAcceptedAnswers(
  { deployment, history }: Pick<RunContext, 'deployment' | 'history'>,
  entries: readonly HistoryEntry[],
  clients: readonly Pick<ClientPlan, 'key' | 'call'>[],
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
      const { name, url } =
        deployment.gateways[left.length % deployment.gateways.length] ?? deployment.getProcess('gateway-0');
      if (request.f !== 'answer') continue;
      const agentLLMResponse = buildAnswerBody(request.kind, request.mark, tools.get(client) ?? '');
      const args = { interactionId: request.interactionId, agentLLMResponse, waitMs: 0 };
      const id = history.invoke(client, name, request);
      const called = await callToolForOutcome(
        url,
        deployment.apiKey,
        { name: 'agent_llm', arguments: args },
        10_000,
      );
      if (called.kind === 'unknown') history.add({ type: 'unknown', id, why: called.why });
      else {
        const verdict =
          called.kind === 'refused' ? called.code : called.content.replayed ? 'replayed' : 'accepted';
        history.add({ type: 'reply', id, reply: { verdict } });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, repeat));
}
