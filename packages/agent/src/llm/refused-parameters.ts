import { APICallError } from 'ai';
import { LRUCache } from 'lru-cache';

/** Parameters that some endpoints refuse, each with the words by which an error names it. */
const OPTIONAL_PARAMETERS = {
  /** Asked for first; where it is refused, `json`, and then neither. */
  jsonSchema: /json_schema|response_format|text\.format|structured.?output/i,
  json: /response_format|text\.format|json_object|json mode/i,
  maxTokens: /max_tokens|max_completion_tokens|maximum.{0,40}tokens/i,
  temperature: /temperature/i,
  topP: /top_p/i,
  topK: /top_k/i,
  presencePenalty: /presence_?penalty/i,
  frequencyPenalty: /frequency_?penalty/i,
  reasoningEffort: /reasoning/i,
  parallelToolCalls: /parallel_tool_calls/i,
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

/** By parameter its size: of `maxTokens` the tokens, 0 of any other. */
type Sizes = ReadonlyMap<OptionalParameter, number>;

/**
 * The parameters that models refused, by principal and model: each from the least size on that was refused. What one
 * principal's requests caused is never applied to another's: the endpoint's words, by which a refusal is known, may be about anything that
 * the request held.
 */
export class RefusedParameters {
  private readonly refused = new LRUCache<string, Sizes>({ max: MAX_REMEMBERED });

  /** The parameters of one request of a principal to a model. What is in `kept` is never left out. */
  ofRequest(principal: string, modelId: string, kept: readonly OptionalParameter[] = []): OptionalParameters {
    const key = JSON.stringify([principal, modelId]);
    return new OptionalParameters(kept, {
      has: (parameter, size) => size >= (this.refused.get(key)?.get(parameter) ?? Number.POSITIVE_INFINITY),
      add: (sizes) => {
        const all = new Map(this.refused.get(key));
        for (const [parameter, size] of sizes) all.set(parameter, Math.min(size, all.get(parameter) ?? size));
        this.refused.set(key, all);
      },
    });
  }
}

/** What is known of a model, for a principal. */
interface KnownRefusals {
  has(parameter: OptionalParameter, size: number): boolean;
  add(sizes: Sizes): void;
}

/**
 * The optional parameters of one request, which may take several calls: one that the endpoint refused by name is left out of the next
 * call. It is remembered as refused only when the call without it was answered: an error that names it may be about something else.
 */
export class OptionalParameters {
  private readonly kept: readonly OptionalParameter[];
  private readonly known: KnownRefusals;
  /** Those of the call that is under way. */
  private readonly sent = new Map<OptionalParameter, number>();
  private readonly leftOut = new Map<OptionalParameter, number>();

  constructor(kept: readonly OptionalParameter[], known: KnownRefusals) {
    this.kept = kept;
    this.known = known;
  }

  /** Whether the next call sends a parameter that the request asks for; it counts as sent then, and as left out otherwise. */
  send(parameter: OptionalParameter, size = 0): boolean {
    const isSent = this.maySend(parameter, size);
    (isSent ? this.sent : this.leftOut).set(parameter, size);
    return isSent;
  }

  /** Whether a call may send a parameter of this size, as known now. */
  maySend(parameter: OptionalParameter, size = 0): boolean {
    if (this.kept.includes(parameter)) return true;
    return !this.leftOut.has(parameter) && !this.known.has(parameter, size);
  }

  /** Leaves out what the call sent and its failure names. Returns whether there was any: the call is then worth repeating. */
  leaveOut(thrown: unknown): boolean {
    const named = namedParameters(thrown).flatMap((parameter) => {
      const size = this.sent.get(parameter);
      return size === undefined || this.kept.includes(parameter) ? [] : [[parameter, size] as const];
    });
    for (const [parameter, size] of named) this.leftOut.set(parameter, size);
    this.sent.clear();
    return named.length > 0;
  }

  /** The endpoint answered: it refuses what was left out, and nothing else. */
  remember(): void {
    if (this.leftOut.size > 0) this.known.add(this.leftOut);
  }
}

/** The parameters that an endpoint's refusal of a request names. */
function namedParameters(thrown: unknown): readonly OptionalParameter[] {
  if (!APICallError.isInstance(thrown)) return [];
  if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return [];
  const said = `${thrown.message} ${thrown.responseBody ?? ''}`;
  return Object.entries(OPTIONAL_PARAMETERS).flatMap(([name, pattern]) =>
    pattern.test(said) ? [name as OptionalParameter] : [],
  );
}
