import { type ModelRole, modelRoleSchema } from '@baton/protocol';
import { APICallError, generateText, type LanguageModel } from 'ai';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { HtmlPageFailure } from './bounded-fetch.ts';
import { classifyLlmError } from './classify-llm-error.ts';

/** How long a neutral request may take: an endpoint of one's own may load its model first. */
const PROBE_MS = 60_000;
const NEUTRAL_PROMPT = 'Answer with the word yes.';

/**
 * Asks each model that the agent uses for Baton's own operations something that no caller wrote. What an endpoint refuses for good there, it
 * refuses for how the agent is set up (its key, its model, its address): kind `fatal`. Anything else may pass.
 */
export async function probeEndpoint(
  modelFor: (request: DelegatedRequest) => LanguageModel,
  signal: AbortSignal,
): Promise<LlmCallFailure | undefined> {
  const failures = await Promise.all(modelsOf(modelFor).map((model) => ask(model, signal)));
  return failures.find((failure) => failure?.kind === 'fatal') ?? failures.find(Boolean);
}

/** A function that chooses no model for a request without a caller leaves nothing to ask. */
function modelsOf(modelFor: (request: DelegatedRequest) => LanguageModel): LanguageModel[] {
  try {
    const models = modelRoleSchema.options.map((name) => modelFor(neutralRequest(name)));
    return [...new Map(models.map((model) => [modelIdOf(model), model])).values()];
  } catch {
    return [];
  }
}

async function ask(model: LanguageModel, signal: AbortSignal): Promise<LlmCallFailure | undefined> {
  const timeout = AbortSignal.timeout(PROBE_MS);
  try {
    const abortSignal = AbortSignal.any([signal, timeout]);
    await generateText({ model, prompt: NEUTRAL_PROMPT, maxRetries: 0, abortSignal });
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    const failure = timeout.aborted ? TIMED_OUT : asProbeFailure(classifyLlmError(error));
    const { type, message, kind, retryAfterMs } = failure;
    const at = APICallError.isInstance(error) ? ` at ${new URL(error.url).origin}` : '';
    return new LlmCallFailure(type, `${message} (model ${modelIdOf(model)}${at})`, {
      kind: kind === 'final' ? 'fatal' : kind,
      scope: 'endpoint',
      retryAfterMs,
      cause: error,
    });
  }
}

const TIMED_OUT = new LlmCallFailure(
  'timeout_error',
  `The LLM endpoint did not answer within ${PROBE_MS / 1_000} s.`,
  { kind: 'passing' },
);

/** A page where an API should be says that the address is wrong. */
function asProbeFailure(failure: LlmCallFailure): LlmCallFailure {
  return failure instanceof HtmlPageFailure ? new LlmCallFailure('no_llm_api', failure.message) : failure;
}

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

/** The id of a model of the `ai` package, which may also be given by its id. */
export function modelIdOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
