import { isRecord, type Json } from '@baton/protocol';
import { classIndexOf } from './classes.ts';

/** Alternatives of a token that are read at most; OpenAI gives 20. */
const MAX_ALTERNATIVES = 200;
/** A class that the content-free text never gets counts as this likely there: dividing by less would make it certain. */
const LEAST_BIAS = 0.001;

/**
 * The probabilities of the classes by an answer's `logprobs`, or undefined where it has none that can be used.
 * Takes OpenAI's form (`{ content: [{ token, logprob, top_logprobs }] }`, chat completions) or its list alone.
 *
 * The alternatives at the first token that names a class are summed by class, and normalised over the classes, so that
 * other tokens do not count; a class that is not among them is less likely than they are, and counts as 0. An endpoint lists the
 * likeliest tokens, and so the answered one may be missing there: it counts all the same. The answered token alone says nothing of the
 * other classes. Entries that are NaN, above 0 or no numbers are left out.
 */
export function classProbabilities(classes: readonly string[], data: Json): readonly number[] | undefined {
  const logprobs = isRecord(data) ? data['logprobs'] : undefined;
  const tokens: unknown = isRecord(logprobs) ? logprobs['content'] : logprobs;
  if (!Array.isArray(tokens)) return undefined;
  const named = tokens
    .slice(0, MAX_ALTERNATIVES)
    .filter(isRecord)
    .find(({ token }) => typeof token === 'string' && classIndexOf(classes, token) >= 0);
  if (named === undefined) return undefined;
  const { top_logprobs: top, topLogprobs } = named;
  const list = [top, topLogprobs].find((one) => Array.isArray(one) && one.length > 0);
  const alternatives = Array.isArray(list) ? list.slice(0, MAX_ALTERNATIVES).filter(isRecord) : [];
  const others = alternatives.filter(({ token }) => token !== named['token']);
  if (others.length === 0) return undefined;
  const own = alternatives.find(({ token }) => token === named['token']) ?? named;
  const entries = [own, ...others];
  const sums = classes.map(() => 0);
  for (const { token, logprob } of entries) {
    const isUsable = typeof token === 'string' && typeof logprob === 'number' && logprob <= 0;
    const index = isUsable ? classIndexOf(classes, token) : -1;
    if (index >= 0) sums[index] = (sums[index] ?? 0) + Math.exp(logprob as number);
  }
  return normalised(sums);
}

/**
 * Contextual calibration (Zhao, Wallace, Feng, Klein, Singh: Calibrate Before Use, ICML 2021): the probabilities divided by
 * those that the same prompt gives to a text without content, and normalised again, which takes out the prompt's own bias.
 */
export function calibrate(
  probabilities: readonly number[],
  contentFree: readonly number[],
): readonly number[] {
  const divided = probabilities.map((p, index) => p / Math.max(contentFree[index] ?? 0, LEAST_BIAS));
  return normalised(divided) ?? probabilities;
}

function normalised(values: readonly number[]): readonly number[] | undefined {
  const sum = values.reduce((total, value) => total + value, 0);
  return Number.isFinite(sum) && sum > 0 ? values.map((value) => value / sum) : undefined;
}
