import { APICallError } from 'ai';
import { LRUCache } from 'lru-cache';

/**
 * Parameters that some endpoints refuse. One that an endpoint refused by name is left out of the same principal's later
 * requests to that model, since a request can be answered without it.
 */
const OPTIONAL_PARAMETERS = {
  /** Asked for first; where it is refused, `json`, and then neither. */
  jsonSchema: /json_schema|response_format|text\.format|structured.?output/i,
  json: /response_format|text\.format|json_object|json mode/i,
  maxTokens: /max_tokens|max_completion_tokens|maximum.{0,40}tokens/i,
  temperature: /temperature/i,
  topP: /top_p/i,
  seed: /\bseed\b/i,
  stop: /\bstop\b/i,
  logprobs: /logprobs/i,
  webSearch: /web_search/i,
  computerUse: /\bcomputer/i,
  mcpServers: /\bmcp/i,
} as const;
export type OptionalParameter = keyof typeof OPTIONAL_PARAMETERS;

/** Principals and models that are remembered at most; the longest unused is learned anew, for one refused call. */
const MAX_REMEMBERED = 1_000;

const NONE: ReadonlySet<OptionalParameter> = new Set();

/**
 * The parameters that models refused, by principal and model. What one principal's requests caused is never applied to
 * another's: the endpoint's words, by which a refusal is known, may be about anything that the request held.
 */
export class RefusedParameters {
  private readonly refused = new LRUCache<string, ReadonlySet<OptionalParameter>>({ max: MAX_REMEMBERED });

  /** The parameters to leave out of a principal's call to a model, as known now. */
  of(principal: string, modelId: string): ReadonlySet<OptionalParameter> {
    return this.refused.get(keyOf(principal, modelId)) ?? NONE;
  }

  /**
   * Records a refusal, except of what is in `kept`. Returns the parameters that it named; a call that sent one of them is
   * worth repeating without it, also where another call learned of it meanwhile.
   */
  record(
    principal: string,
    modelId: string,
    thrown: unknown,
    kept: readonly OptionalParameter[] = [],
  ): readonly OptionalParameter[] {
    if (!APICallError.isInstance(thrown)) return [];
    if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return [];
    const said = `${thrown.message} ${thrown.responseBody ?? ''}`;
    const named = Object.entries(OPTIONAL_PARAMETERS).flatMap(([name, pattern]) =>
      pattern.test(said) ? [name as OptionalParameter] : [],
    );
    const refused = named.filter((parameter) => !kept.includes(parameter));
    if (refused.length > 0)
      this.refused.set(keyOf(principal, modelId), new Set([...this.of(principal, modelId), ...refused]));
    return refused;
  }
}

function keyOf(principal: string, modelId: string): string {
  return JSON.stringify([principal, modelId]);
}
