import { type AgentResponse, canonicalJson, type LlmRequest, RECALLABLE } from '@baton/protocol';
import { build } from './build.ts';
import { FAULTS, type Fault, FORMS, type Form, spoil, wrap } from './manner.ts';
import { readMaterial } from './material.ts';
import { type Random, randomOf } from './random.ts';

/**
 * An agent for tests: answers a directive's `llmRequestForAgent` from its schema and from the text that it was sent,
 * right or wrong by a seed. The same seed gives the same answer to the same request; a question asked again holds
 * more messages, so its answer is drawn anew. It checks nothing itself.
 *
 *   manner   what to do with a request: answer in one of the allowed forms, with a fault, or with an error
 *   build    a value for the schema      material   the words and numbers of the request
 */
export interface ScriptedAgent {
  answer(request: LlmRequest): AgentResponse;
  /** What `answer` does with this request, for tests that count. */
  manner(request: LlmRequest): Manner;
}

export type Manner =
  | { readonly kind: 'right'; readonly form: Form }
  | { readonly kind: 'faulty'; readonly form: Form; readonly fault: Fault }
  | { readonly kind: 'error'; readonly type: string };

export interface ScriptedAgentOptions {
  readonly seed: number | string;
  /** The share of answers with a fault, 0 to 1. */
  readonly wrongRate?: number;
  /** The share of passing failures (rate limits, time-outs, ...), 0 to 1. */
  readonly errorRate?: number;
  /** Which faults to draw from; all by default. */
  readonly faults?: readonly Fault[];
}

export function createScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { seed, wrongRate = 0, errorRate = 0, faults = FAULTS } = options;

  const draw = (request: LlmRequest): { manner: Manner; random: Random } => {
    const random = randomOf(`${seed}\n${canonicalJson(request)}`);
    const form = random.pick(FORMS);
    if (random.chance(errorRate))
      return { manner: { kind: 'error', type: random.pick([...RECALLABLE]) }, random };
    if (random.chance(wrongRate))
      return { manner: { kind: 'faulty', form, fault: random.pick(faults) }, random };
    return { manner: { kind: 'right', form }, random };
  };

  return {
    manner: (request) => draw(request).manner,
    answer(request) {
      const { manner, random } = draw(request);
      if (manner.kind === 'error') {
        return {
          status: 'error',
          errorDetails: { message: `The provider says ${manner.type}.`, type: manner.type },
        };
      }
      return { status: 'success', data: dataOf(request, manner, random) };
    },
  };
}

function dataOf(request: LlmRequest, manner: Exclude<Manner, { kind: 'error' }>, random: Random) {
  const material = readMaterial(request.messages);
  if (request.schema === undefined) return { text: material.sentences.slice(0, 3).join(' ') };
  const value = build(request.schema, material, random);
  return manner.kind === 'right' ? wrap(value, manner.form) : spoil(value, manner.fault, manner.form, random);
}
