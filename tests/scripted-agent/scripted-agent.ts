import { type AgentResponse, canonicalJson, type LlmRequest, RETRYABLE_ERROR_TYPES } from '@baton/protocol';
import { buildSchemaValue } from './schema-value.ts';
import {
  ANSWER_FAULTS,
  type AnswerFault,
  ANSWER_FORMS,
  type AnswerForm,
  corruptAnswer,
  wrapAnswer,
} from './answer-variants.ts';
import { readRequestFacts } from './request-facts.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';

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
  variantFor(request: LlmRequest): AnswerVariant;
}

export type AnswerVariant =
  | { readonly kind: 'right'; readonly form: AnswerForm }
  | { readonly kind: 'faulty'; readonly form: AnswerForm; readonly fault: AnswerFault }
  | { readonly kind: 'error'; readonly type: string };

export interface ScriptedAgentOptions {
  readonly seed: number | string;
  /** The share of answers with a fault, 0 to 1. */
  readonly wrongRate?: number;
  /** The share of passing failures (rate limits, time-outs, ...), 0 to 1. */
  readonly errorRate?: number;
  /** Which faults to draw from; all by default. */
  readonly faults?: readonly AnswerFault[];
}

export function createScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { seed, wrongRate = 0, errorRate = 0, faults = ANSWER_FAULTS } = options;

  const draw = (request: LlmRequest): { manner: AnswerVariant; random: SeededRandom } => {
    const random = seededRandom(`${seed}\n${canonicalJson(request)}`);
    const form = random.pick(ANSWER_FORMS);
    if (random.chance(errorRate))
      return { manner: { kind: 'error', type: random.pick([...RETRYABLE_ERROR_TYPES]) }, random };
    if (random.chance(wrongRate))
      return { manner: { kind: 'faulty', form, fault: random.pick(faults) }, random };
    return { manner: { kind: 'right', form }, random };
  };

  return {
    variantFor: (request) => draw(request).manner,
    answer(request) {
      const { manner, random } = draw(request);
      if (manner.kind === 'error') {
        return {
          status: 'error',
          errorDetails: { message: `The provider says ${manner.type}.`, type: manner.type },
        };
      }
      return { status: 'success', data: answerData(request, manner, random) };
    },
  };
}

function answerData(
  request: LlmRequest,
  manner: Exclude<AnswerVariant, { kind: 'error' }>,
  random: SeededRandom,
) {
  const material = readRequestFacts(request.messages);
  if (request.schema === undefined) return { text: material.sentences.slice(0, 3).join(' ') };
  const value = buildSchemaValue(request.schema, material, random);
  return manner.kind === 'right'
    ? wrapAnswer(value, manner.form)
    : corruptAnswer(value, manner.fault, manner.form, random);
}
