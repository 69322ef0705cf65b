import { APICallError } from 'ai';
import { LRUCache } from 'lru-cache';

/**
 * Parameters that some endpoints refuse. One that an endpoint refused by name is left out of the same principal's later
 * requests to that model, since a request can be answered without it.
 */
const OPTIONAL_PARAMETERS = {
  json: /response_format|json_object|json mode/i,
  maxTokens: /max_tokens|max_completion_tokens|maximum.{0,40}tokens/i,
  temperature: /temperature/i,
  topP: /top_p/i,
  seed: /\bseed\b/i,
  stop: /\bstop\b/i,
} as const;
export type OptionalParameter = keyof typeof OPTIONAL_PARAMETERS;

/** Principals and models that are remembered at most; the longest unused is learned anew, for one refused call. */
const MAX_REMEMBERED = 1_000;

/**
 * The parameters that models refused, by principal and model. What one principal's requests caused is never applied to
 * another's: the endpoint's words, by which a refusal is known, may be about anything that the request held.
 */
export class RefusedParameters {
  private readonly refused = new LRUCache<string, Set<OptionalParameter>>({ max: MAX_REMEMBERED });

  has(principal: string, modelId: string, parameter: OptionalParameter): boolean {
    return this.refused.get(keyOf(principal, modelId))?.has(parameter) === true;
  }

  /**
   * Records a refusal, except of what is in `kept`. True when it named a parameter that was still sent: the call is worth
   * repeating without it.
   */
  record(
    principal: string,
    modelId: string,
    thrown: unknown,
    kept: readonly OptionalParameter[] = [],
  ): boolean {
    if (!APICallError.isInstance(thrown)) return false;
    if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return false;
    const key = keyOf(principal, modelId);
    const known = this.refused.get(key) ?? new Set<OptionalParameter>();
    const before = known.size;
    const said = `${thrown.message} ${thrown.responseBody ?? ''}`;
    for (const [name, pattern] of Object.entries(OPTIONAL_PARAMETERS)) {
      const parameter = name as OptionalParameter;
      if (!kept.includes(parameter) && pattern.test(said)) known.add(parameter);
    }
    if (known.size === before) return false;
    this.refused.set(key, known);
    return true;
  }
}

function keyOf(principal: string, modelId: string): string {
  return JSON.stringify([principal, modelId]);
}
