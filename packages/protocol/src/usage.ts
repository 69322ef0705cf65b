import { z } from 'zod';
import type { AgentAnswer } from './delegation/answer.ts';
import { isRecord } from './json/json.ts';

/** What an answer says that its LLM call used. */
export interface AnswerUsage {
  /** Tokens; undefined where the answer gives none that count. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** Whether it says that the LLM call failed. */
  readonly failed: boolean;
  /** The model that answered, shortened; empty where the answer names none. */
  readonly model: string;
  /** What was given and does not count, and why: undefined where all of it counts. */
  readonly problem: string | undefined;
}

/** Usage summed up over answered LLM calls, those that ended in an error included. */
export const usageSumsSchema = z.object({
  calls: z.number(),
  failedCalls: z.number().describe('Of those, the ones whose answer says that the LLM call failed'),
  inputTokens: z.number(),
  outputTokens: z.number(),
  durationMs: z.number().describe('From each request to its answer'),
});
export type UsageSums = Readonly<z.infer<typeof usageSumsSchema>>;

/** More tokens than any one call uses; sums of so many stay exact numbers. */
export const MAX_TOKENS_PER_ANSWER = 1_000_000_000;

const MAX_MODEL_CHARACTERS = 64;

/** The names that agents give the two counts: Baton's and AI SDK's, Anthropic's, OpenAI's, and AI SDK's of before. */
const INPUT_NAMES = ['inputTokens', 'input_tokens', 'prompt_tokens', 'promptTokens'];
const OUTPUT_NAMES = ['outputTokens', 'output_tokens', 'completion_tokens', 'completionTokens'];

/**
 * Reads the usage of an answer: `usage` of `data` or `errorDetails`, of a `response` within it, or of the envelope, whichever comes
 * first. A count is a number, or the `total` of an object. One rule for all: what is no whole number from 0 to
 * MAX_TOKENS_PER_ANSWER counts as not given, and `problem` names it; `null` is not given. An answer is never refused for it.
 */
export function readAnswerUsage(answer: AgentAnswer): AnswerUsage {
  const body = answer.status === 'success' ? answer.data : answer.errorDetails;
  const data = isRecord(body) ? body : NOTHING;
  const response = isRecord(data['response']) ? data['response'] : NOTHING;
  const usage = data['usage'] ?? response['usage'] ?? answer['usage'];
  const model = modelOf(data['model'] ?? response['model'] ?? answer['model']);
  const failed = answer.status !== 'success';
  if (usage === undefined || usage === null) return { ...NO_USAGE, failed, model };
  if (!isRecord(usage))
    return { ...NO_USAGE, failed, model, problem: 'usage is not counted: it is no object' };
  const input = readCount(usage, INPUT_NAMES);
  const output = readCount(usage, OUTPUT_NAMES);
  const problem = [input.problem, output.problem].filter((one) => one !== undefined).join('; ');
  return {
    inputTokens: input.tokens,
    outputTokens: output.tokens,
    failed,
    model,
    problem: problem === '' ? undefined : problem,
  };
}

const NOTHING: Record<string, unknown> = {};
const NO_USAGE = { inputTokens: undefined, outputTokens: undefined, problem: undefined };

/** The first of the names that is given. */
function readCount(
  usage: Record<string, unknown>,
  names: readonly string[],
): { tokens: number | undefined; problem: string | undefined } {
  for (const name of names) {
    const given = Object.hasOwn(usage, name) ? usage[name] : undefined;
    if (given === undefined || given === null) continue;
    const value = isRecord(given) ? given['total'] : given;
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS_PER_ANSWER)
      return { tokens: value as number, problem: undefined };
    const shown = (JSON.stringify(value) ?? 'undefined').slice(0, 40);
    const problem = `usage.${name} is not counted: ${shown} is no whole number from 0 to ${MAX_TOKENS_PER_ANSWER}`;
    return { tokens: undefined, problem };
  }
  return { tokens: undefined, problem: undefined };
}

/** A name that fits in one line of a list. */
function modelOf(given: unknown): string {
  if (typeof given !== 'string') return '';
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  const line = given.slice(0, 4 * MAX_MODEL_CHARACTERS).replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]/g, ' ');
  return [...line.toWellFormed().trim()].slice(0, MAX_MODEL_CHARACTERS).join('');
}
