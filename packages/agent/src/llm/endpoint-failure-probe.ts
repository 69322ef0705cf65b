import { type ModelRole, modelRoleSchema } from '@baton/protocol';
import { generateText, type LanguageModel } from 'ai';
import { setTimeout as delay } from 'node:timers/promises';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { classifyLlmError } from './classify-llm-error.ts';

/** Probes begin so far apart at least: callers whose requests are refused may cause no more of them. */
const INTERVAL_MS = 2_000;
const PROBE_MS = 10_000;
/** Refusals that may be the endpoint's word about its caller's key, or about the request: its model, options or price. */
const REFUSALS = new Set(['authentication_error', 'billing_error', 'permission_error', 'not_found_error']);

/**
 * Tells failures of the endpoint from those of one request, which its caller may have caused. A refusal, or a
 * `Retry-After`, counts for all requests only if neutral requests, to each model that the agent uses for Baton's own
 * operations, fail in the same way afterwards.
 */
export class EndpointFailureProbe {
  private readonly models: () => readonly LanguageModel[];
  private readonly intervalMs: number;
  private running: Promise<unknown> = Promise.resolve();
  /** The probe that begins next; what fails meanwhile waits for it too. */
  private next: Promise<readonly (LlmCallFailure | undefined)[]> | undefined;
  private begun = Number.NEGATIVE_INFINITY;

  constructor(modelFor: (request: DelegatedRequest) => LanguageModel, intervalMs = INTERVAL_MS) {
    this.models = () => distinct(modelRoleSchema.options.map((name) => modelFor(neutralRequest(name))));
    this.intervalMs = intervalMs;
  }

  /** The failure as it concerns others: of kind `fatal`, or of scope `endpoint`, only where neutral requests fail too. */
  async judge(failure: LlmCallFailure): Promise<LlmCallFailure> {
    const isRefusal = REFUSALS.has(failure.type);
    if (!isRefusal && failure.retryAfterMs === undefined) return failure;
    const failures = (await this.probe()).map((found) =>
      found !== undefined && (isRefusal ? REFUSALS.has(found.type) : found.retryAfterMs !== undefined)
        ? found
        : undefined,
    );
    const [first, ...others] = failures;
    if (first === undefined || others.includes(undefined)) return failure;
    const { type, message, retryAfterMs } = first;
    return new LlmCallFailure(type, message, {
      kind: isRefusal ? 'fatal' : 'passing',
      scope: 'endpoint',
      retryAfterMs,
      cause: failure,
    });
  }

  /** One failure for each model, undefined for one that answers. The probe begins after this call. */
  private probe(): Promise<readonly (LlmCallFailure | undefined)[]> {
    return (this.next ??= this.beginNext());
  }

  private async beginNext(): Promise<readonly (LlmCallFailure | undefined)[]> {
    await this.running;
    await delay(Math.max(0, this.begun + this.intervalMs - performance.now()), undefined, { ref: false });
    this.next = undefined;
    this.begun = performance.now();
    const outcome = Promise.all(this.models().map(ask));
    this.running = outcome;
    return outcome;
  }
}

async function ask(model: LanguageModel): Promise<LlmCallFailure | undefined> {
  try {
    await generateText({
      model,
      prompt: NEUTRAL_PROMPT,
      maxRetries: 0,
      maxOutputTokens: 16,
      abortSignal: AbortSignal.timeout(PROBE_MS),
    });
    return undefined;
  } catch (error) {
    return classifyLlmError(error);
  }
}

const NEUTRAL_PROMPT = 'Answer with the word yes.';

/** A request as an operation of Baton makes it, with nothing in it that a caller wrote. */
function neutralRequest(name: ModelRole): DelegatedRequest {
  return {
    interactionId: '',
    taskId: '',
    operation: 'probe',
    expiresAt: '',
    role: name,
    serviceType: 'generateText',
    attempt: 1,
    summary: 'probe of the endpoint',
    principal: '',
    request: {
      apiKey: null,
      modelId: name,
      messages: [{ role: 'user', content: NEUTRAL_PROMPT }],
    },
  };
}

function distinct(models: readonly LanguageModel[]): LanguageModel[] {
  return [...new Map(models.map((model) => [modelIdOf(model), model])).values()];
}

/** The id of a model of the `ai` package, which may also be given by its id. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
