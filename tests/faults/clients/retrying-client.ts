import type { AnyJson } from '../../harness/mcp-client.ts';
import { callToolForOutcome, repeatUntilKnown, type ToolOutcome, type ToolParams } from './tool-call.ts';

/** Time limits of one attempt and of all attempts of a call. */
const ATTEMPT_MS = 30_000;
const PATIENCE_MS = 90_000;

/** Called right before each attempt; the returned function is called after it. */
type AttemptObserver = (tool: string, replica: number) => () => void;

/** A client of several addresses in turn, which repeats a call of unknown outcome unchanged until its outcome is known. */
export class RetryingClient {
  /** The replica that sent each result, in the order of the results. */
  readonly replicas: string[] = [];
  /** Attempts of unknown outcome by cause: a code or an error, and who replied. */
  readonly repeats = new Map<string, number>();
  private readonly urls: readonly string[];
  private readonly apiKey: string;
  private readonly onAttempt: AttemptObserver;
  private attempts = 0;

  constructor(urls: readonly string[], apiKey: string, onAttempt: AttemptObserver = () => () => {}) {
    this.urls = urls;
    this.apiKey = apiKey;
    this.onAttempt = onAttempt;
  }

  /** A tool's structured content. `key` makes a call that starts something safe to repeat. Errors: when it is refused. */
  async call(name: string, args: object, key?: string): Promise<AnyJson> {
    const meta = key === undefined ? {} : { _meta: { 'baton/idempotencyKey': key } };
    const params = { name, arguments: args, ...meta };
    const end = performance.now() + PATIENCE_MS;
    const outcome = await repeatUntilKnown(
      () => this.attempt(params),
      () => performance.now() > end,
    );
    if (outcome === undefined) throw new Error(`${name} had no known outcome: ${this.repeatsText}`);
    if (outcome.kind === 'refused') throw new Error(`${name}: ${outcome.code}: ${outcome.message}`);
    this.replicas.push(outcome.replica);
    return outcome.content;
  }

  get repeatsText(): string {
    const all = [...this.repeats.values()].reduce((sum, each) => sum + each, 0);
    return `${all} repeats ${JSON.stringify(Object.fromEntries(this.repeats))}`;
  }

  private async attempt(params: ToolParams): Promise<ToolOutcome> {
    const at = this.attempts++ % this.urls.length;
    const over = this.onAttempt(params.name, at);
    const outcome = await callToolForOutcome(this.urls[at] ?? '', this.apiKey, params, ATTEMPT_MS);
    over();
    if (outcome.kind === 'unknown') {
      const cause = `${outcome.why} by ${outcome.replica ?? 'nobody'}`;
      this.repeats.set(cause, (this.repeats.get(cause) ?? 0) + 1);
    }
    return outcome;
  }
}
