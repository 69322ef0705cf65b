import type { JsonObject, LlmRequest } from '@baton/protocol';
import { type LlmCall, FakeLlmServer, type LlmBehaviour } from '../../fake-llm/llm-server.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { agentForApi } from './journey-deployment.ts';
import type { TriggerEventEmitter } from '../faults/trigger-event-emitter.ts';

const WRONG_RATE = 0.15;
const ERROR_RATE = 0.06;
const SLOWEST_MS = 60;

/** HTTP statuses of transient failures. */
const STATUS: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  timeout_error: 408,
  overloaded_error: 529,
  api_error: 500,
};

/**
 * An LLM endpoint that answers from the schema and the text of a request, sometimes wrongly and sometimes not at all, by
 * the seed. A repeated request gets another answer, as from a model, so that two answers to one request differ.
 */
export async function startFlakyLlm(seed: number, events: TriggerEventEmitter): Promise<FakeLlmServer> {
  return FakeLlmServer.start((asked) => {
    events.record('llm-called', agentForApi(asked.api === 'anthropic' ? 'anthropic' : 'openai'));
    return behaviourFor(`journey ${seed} ${asked.attempt}`, asked);
  });
}

function behaviourFor(seed: string, asked: LlmCall): LlmBehaviour {
  const agent = createScriptedAgent({ seed, wrongRate: WRONG_RATE, errorRate: ERROR_RATE });
  const answer = agent.answer(requestOf(asked));
  const random = seededRandom(`${seed} ${asked.topic}`);
  if (answer.status === 'error') {
    if (random.chance(0.3)) return { do: random.pick(['garble', 'reset', 'stop-halfway'] as const) };
    return { do: 'refuse', status: STATUS[answer.errorDetails.type ?? ''] ?? 500 };
  }
  if (answer.status !== 'success') throw new Error(`the scripted agent says ${answer.status}`);
  return { do: 'say', text: textOf(answer.data), afterMs: random.below(SLOWEST_MS) };
}

/** The request as a model reads it, with the schema in the instructions. */
function requestOf({ model, system, messages }: LlmCall): LlmRequest {
  const [, schema] = /fits this JSON Schema, and nothing around it:\n(.*)$/s.exec(system) ?? [];
  if (schema === undefined) throw new Error(`the instructions contain no schema: ${system.slice(-300)}`);
  return {
    apiKey: null,
    modelId: model,
    messages: messages.map(({ role, content }: AnyJson) => ({ role, content: plainText(content) })),
    schema: JSON.parse(schema) as JsonObject,
  };
}

function plainText(content: AnyJson): string {
  return typeof content === 'string' ? content : content.map((part: AnyJson) => part.text ?? '').join('');
}

/** A model returns text, whatever form the answer has. */
function textOf(data: AnyJson): string {
  return typeof data.text === 'string' ? data.text : JSON.stringify(data.object ?? data);
}
