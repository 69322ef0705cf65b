import { APICallError } from 'ai';

/**
 * Parameters that some endpoints refuse. One that an endpoint refused by name is left out from then on, since the
 * request can be answered without it.
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

/** The parameters that each model refused, by model id. */
export class RefusedParameters {
  private readonly refused = new Map<string, Set<OptionalParameter>>();

  has(modelId: string, parameter: OptionalParameter): boolean {
    return this.refused.get(modelId)?.has(parameter) === true;
  }

  /** Records a refusal. True when it named a parameter that was still sent: the call is worth repeating without it. */
  record(modelId: string, thrown: unknown): boolean {
    if (!APICallError.isInstance(thrown)) return false;
    if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return false;
    const known = this.refused.get(modelId) ?? new Set<OptionalParameter>();
    this.refused.set(modelId, known);
    const before = known.size;
    const said = `${thrown.message} ${thrown.responseBody ?? ''}`;
    for (const [parameter, name] of Object.entries(OPTIONAL_PARAMETERS))
      if (name.test(said)) known.add(parameter as OptionalParameter);
    return known.size > before;
  }
}
