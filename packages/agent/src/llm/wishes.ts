import { APICallError } from 'ai';

/**
 * What a request wishes for and its model may not know: limits and manners that one endpoint takes and another
 * refuses. A wish that was refused by name is left out from then on, since the request can be answered without it.
 */
const WISHES = {
  json: /response_format|json_object|json mode/i,
  maxTokens: /max_tokens|max_completion_tokens|maximum.{0,40}tokens/i,
  temperature: /temperature/i,
  topP: /top_p/i,
  seed: /\bseed\b/i,
  stop: /\bstop\b/i,
} as const;
export type Wish = keyof typeof WISHES;

/** The wishes that each model refused, by its id. */
export class RefusedWishes {
  private readonly refused = new Map<string, Set<Wish>>();

  has(modelId: string, wish: Wish): boolean {
    return this.refused.get(modelId)?.has(wish) === true;
  }

  /** Takes note of a refusal. True when it named a wish that was still asked for, so that another call may go well. */
  learn(modelId: string, thrown: unknown): boolean {
    if (!APICallError.isInstance(thrown)) return false;
    if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return false;
    const known = this.refused.get(modelId) ?? new Set<Wish>();
    this.refused.set(modelId, known);
    const before = known.size;
    const said = `${thrown.message} ${thrown.responseBody ?? ''}`;
    for (const [wish, name] of Object.entries(WISHES)) if (name.test(said)) known.add(wish as Wish);
    return known.size > before;
  }
}
