import type { JsonObject, LlmRequest } from '@baton/protocol';
import { type Asked, LlmServer, type Manner } from '../agent/llm-server.ts';
import type { Loose } from '../harness/client.ts';
import { randomOf } from '../scripted-agent/random.ts';
import { createScriptedAgent } from '../scripted-agent/scripted-agent.ts';
import { agentOf } from './crew.ts';
import type { Progress } from './progress.ts';

const WRONG_RATE = 0.15;
const ERROR_RATE = 0.06;
const SLOWEST_MS = 60;

/** How each failure that passes looks over HTTP. */
const STATUS: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  timeout_error: 408,
  overloaded_error: 529,
  api_error: 500,
};

/**
 * An LLM endpoint that answers from the schema and the text that it was sent, sometimes wrongly and sometimes not at
 * all, by the seed. The same question put again is answered anew, as a model would: so two answers to one request can
 * be told apart.
 */
export async function startLlm(seed: number, progress: Progress): Promise<LlmServer> {
  return LlmServer.start((asked) => {
    progress.tell('asked', agentOf(asked.api));
    return mannerOf(`journey ${seed} ${asked.time}`, asked);
  });
}

function mannerOf(seed: string, asked: Asked): Manner {
  const agent = createScriptedAgent({ seed, wrongRate: WRONG_RATE, errorRate: ERROR_RATE });
  const answer = agent.answer(requestOf(asked));
  const random = randomOf(`${seed} ${asked.topic}`);
  if (answer.status === 'error') {
    if (random.chance(0.3)) return { do: random.pick(['garble', 'reset', 'stop-halfway'] as const) };
    return { do: 'refuse', status: STATUS[answer.errorDetails.type ?? ''] ?? 500 };
  }
  if (answer.status !== 'success') throw new Error(`the scripted agent says ${answer.status}`);
  return { do: 'say', text: textOf(answer.data), afterMs: random.below(SLOWEST_MS) };
}

/** The request as a model reads it: the schema stands in the instructions, in words. */
function requestOf({ model, system, messages }: Asked): LlmRequest {
  const [, schema] = /fits this JSON Schema, and nothing around it:\n(.*)$/s.exec(system) ?? [];
  if (schema === undefined) throw new Error(`no schema stands in the instructions: ${system.slice(-300)}`);
  return {
    apiKey: null,
    modelId: model,
    messages: messages.map(({ role, content }: Loose) => ({ role, content: wordsOf(content) })),
    schema: JSON.parse(schema) as JsonObject,
  };
}

function wordsOf(content: Loose): string {
  return typeof content === 'string' ? content : content.map((part: Loose) => part.text ?? '').join('');
}

/** What a model says is text, whatever form the answer has. */
function textOf(data: Loose): string {
  return typeof data.text === 'string' ? data.text : JSON.stringify(data.object ?? data);
}
