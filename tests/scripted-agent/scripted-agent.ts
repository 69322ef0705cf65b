import { type AgentResponse, canonicalJson, type LlmRequest, RETRYABLE_ERROR_TYPES } from '@baton/protocol';
import { answerInWords } from './answer-in-words.ts';
import { buildSchemaValue } from './schema-value.ts';
import {
  ANSWER_FAULTS,
  type AnswerFault,
  ANSWER_FORMS,
  type AnswerForm,
  corruptAnswer,
  wrapAnswer,
} from './answer-variants.ts';
import { parseRequestFacts } from './request-facts.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';

/**
 * A deterministic agent: answers `llmRequestForAgent` from its schema and its text, correctly or with a fault, by a seed.
 * The same seed gives the same answer to the same request. A request that Baton repeats has more messages, so its answer
 * is drawn anew.
 *
 *   answer-variants   the forms and faults of an answer
 *   schema-value      builds a value for a schema
 *   answer-in-words   answers where there is no schema: functions, tags, classes, prose
 *   request-facts     reads counts, ids and prose from a request
 */
export interface ScriptedAgent {
  answer(request: LlmRequest): AgentResponse;
  /** The variant that `answer` gives for this request. */
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
  /** The share of transient failures (rate limits, time-outs, ...), 0 to 1. */
  readonly errorRate?: number;
  /** The faults to draw from; all by default. */
  readonly faults?: readonly AnswerFault[];
}

export function createScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { seed, wrongRate = 0, errorRate = 0, faults = ANSWER_FAULTS } = options;

  const draw = (request: LlmRequest): { variant: AnswerVariant; random: SeededRandom } => {
    const random = seededRandom(`${seed}\n${canonicalJson(request)}`);
    const form = random.pick(ANSWER_FORMS);
    if (random.chance(errorRate))
      return { variant: { kind: 'error', type: random.pick([...RETRYABLE_ERROR_TYPES]) }, random };
    if (random.chance(wrongRate))
      return { variant: { kind: 'faulty', form, fault: random.pick(faults) }, random };
    return { variant: { kind: 'right', form }, random };
  };

  return {
    variantFor: (request) => draw(request).variant,
    answer(request) {
      const { variant, random } = draw(request);
      if (variant.kind === 'error') {
        return {
          status: 'error',
          errorDetails: { message: `The provider says ${variant.type}.`, type: variant.type },
        };
      }
      return { status: 'success', data: answerData(request, variant, random) };
    },
  };
}

function answerData(
  request: LlmRequest,
  variant: Exclude<AnswerVariant, { kind: 'error' }>,
  random: SeededRandom,
) {
  const facts = parseRequestFacts(request.messages);
  if (request.schema === undefined) return answerInWords(request, facts, random, variant.kind === 'faulty');
  const value = buildSchemaValue(request.schema, facts, random);
  return variant.kind === 'right'
    ? wrapAnswer(value, variant.form)
    : corruptAnswer(value, variant.fault, variant.form, random);
}
