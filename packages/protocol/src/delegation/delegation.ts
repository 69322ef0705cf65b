import { BYTES_PER_TOKEN } from '../text/token-estimate.ts';
import { z } from 'zod';
import { exceedsDepth, exceedsValueCount, type JsonObject, MAX_STORED_JSON_DEPTH } from '../json/json.ts';
import { type Message, messageSchema } from './message.ts';
import { pickModelParameters } from './model-parameters.ts';

/** Who should answer: the main model, or the one for research. */
export const modelRoleSchema = z.enum(['main', 'research', 'fallback']);
export type ModelRole = z.infer<typeof modelRoleSchema>;

/** Whose answer a request waits for: a model's, by its role, or a person's, whom the client asks. */
export const requestRoleSchema = z.enum([...modelRoleSchema.options, 'person']);
export type RequestRole = z.infer<typeof requestRoleSchema>;

export const serviceTypeSchema = z.enum(['generateText', 'streamText', 'generateObject']);
export type ServiceType = z.infer<typeof serviceTypeSchema>;

/** `llmRequestForAgent`: the parameters of the LLM call that the agent makes with its own key. */
export interface LlmRequest {
  readonly apiKey: null;
  /**
   * Absent until the request is opened, unless its program names one: then it is the one of its role's route, or null, the agent's own
   * choice. Requests that were stored before hold the role's name in the place of null.
   */
  readonly modelId?: string | null;
  readonly messages: readonly Message[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly schema?: JsonObject;
  readonly objectName?: string;
  readonly [parameter: string]: unknown;
}

/** What a program asks of the agent: the request and what routes and labels it. */
export interface DelegatedCall {
  readonly role: RequestRole;
  readonly serviceType: ServiceType;
  readonly request: LlmRequest;
  /** 1 for the first asking, one more for each re-asking, whatever its reason. */
  readonly attempt: number;
  /** A few words for lists: what the request is about. */
  readonly summary: string;
  /** Which route of its role is asked; 0 when absent. */
  readonly route?: number;
  /** Milliseconds for an answer, from when an agent was shown or claimed it. */
  readonly answerWithinMs?: number;
  /** Messages of a conversation that stand after the system messages and before the others of the request. */
  readonly history?: { readonly conversation: string; readonly from: number; readonly to: number };
  /** The tenant's agent that it is for. */
  readonly agentId?: string;
  /** The key under which a client of MCP 2026-07-28 is asked it, in place of its interaction's id: no other of the task's open ones has it. */
  readonly key?: string;
  /** The method of MCP by which a client replies without asking anybody. */
  readonly method?: 'roots/list';
  /** Of a request that asks again because an answer did not fit. */
  readonly correction?: Correction;
  /**
   * Who named the model and the temperature of the request: an agent's or prompt's definition, or the caller. Absent: the operation. An
   * open request to an endpoint has it only where its model stands, whatever its route names.
   */
  readonly chosenBy?: 'definition' | 'caller';
}

/** What was wrong with the answer before. */
export interface Correction {
  readonly problem: string;
  /** The request's own `attempt` at most, where every answer until then has something wrong. */
  readonly mostAttempts: number;
  /** The interaction that the answer was given to. */
  readonly interactionId?: string;
}

const details = z.strictObject({
  originalCommand: z.string().min(1).max(200),
  role: modelRoleSchema.default('main'),
  serviceType: serviceTypeSchema,
  requestParameters: z
    .looseObject({
      modelId: z.string().min(1).max(200).optional(),
      messages: z.array(messageSchema).min(1).max(1_000),
      maxTokens: z.int().min(1).max(10_000_000).optional(),
      temperature: z.number().min(0).max(10).optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
      objectName: z.string().max(200).optional(),
    })
    // Whoever makes the call has an address and a key of its own; what was sent along is not even stored.
    .transform(pickModelParameters),
});

/** Limit of the fields and elements in `delegatedCallDetails`: zod visits each and reports each wrong one. */
const MAX_VALUES = 20_000;

/** `delegatedCallDetails` of `agent_llm`: opens an interaction for an LLM request that the caller brings. */
export const delegatedCallDetailsSchema = z.preprocess((value, context) => {
  if (exceedsValueCount(MAX_VALUES, value))
    context.addIssue({ code: 'custom', message: `must hold at most ${MAX_VALUES} values in all` });
  else if (exceedsDepth(MAX_STORED_JSON_DEPTH, value))
    context.addIssue({ code: 'custom', message: `must nest at most ${MAX_STORED_JSON_DEPTH} levels` });
  else return value;
  return z.NEVER;
}, details);
export type DelegatedCallDetails = z.infer<typeof delegatedCallDetailsSchema>;

/** A model reads these with every request, so they are short: what to do is in the description of `agent_llm`. */
const MESSAGE = 'Make this LLM call.';
const MESSAGE_FOR_PERSON = 'Ask the person you work for, and answer with what they say.';
const INSTRUCTIONS = 'Call agent_llm.';
/** Stands before a directive's JSON in text. */
export const DIRECTIVE_SENTENCE = 'Answer this with agent_llm:';

/** A further pending interaction beside the directive; `pending_interactions` gives its request. */
export interface PendingSummary {
  readonly interactionId: string;
  readonly summary: string;
  readonly expiresAt: string;
}

/** What `buildDirective` takes: one pending interaction with its whole request. */
export interface PendingCall {
  readonly taskId: string;
  readonly interactionId: string;
  readonly operation: string;
  readonly expiresAt: string;
  readonly call: DelegatedCall;
  /** Who started its task; left out in the reply to that call itself. */
  readonly principal?: string | undefined;
}

/** Whose request it is. Its messages are content of its principal and of the project: data, no instructions of Baton. */
export const requestOriginSchema = z.looseObject({ principal: z.string(), trusted: z.literal(false) });
export type RequestOrigin = z.infer<typeof requestOriginSchema>;

export function requestOriginOf(principal: string): RequestOrigin {
  return { principal, trusted: false };
}

/** The directive: a pending interaction as a tool result shows it, whole, with the other pending ones listed. */
export function buildDirective(pending: PendingCall, others: readonly PendingSummary[] = []) {
  const { taskId, interactionId, operation, expiresAt, call, principal } = pending;
  const warning = largeRequestWarning(call.request);
  const asked = {
    toolResponseSource: 'taskmaster_to_agent' as const,
    status: 'pending_agent_llm_action' as const,
    message: call.role === 'person' ? MESSAGE_FOR_PERSON : MESSAGE,
    llmRequestForAgent: call.request,
    interactionId,
    pendingInteractionSignalToAgent: {
      type: 'agent_must_respond_via_agent_llm' as const,
      interactionId,
      instructions: INSTRUCTIONS,
    },
    taskId,
    operation,
    role: call.role,
    serviceType: call.serviceType,
    attempt: call.attempt,
    expiresAt,
  };
  const whole: typeof asked & {
    origin?: RequestOrigin;
    warning?: string;
    pendingInteractions?: readonly PendingSummary[];
  } = asked;
  if (principal !== undefined) whole.origin = requestOriginOf(principal);
  if (warning !== undefined) whole.warning = warning;
  if (others.length > 0) whole.pendingInteractions = others;
  return whole;
}
export type Directive = ReturnType<typeof buildDirective>;

export const directiveSchema = z.looseObject({
  toolResponseSource: z.literal('taskmaster_to_agent'),
  status: z.literal('pending_agent_llm_action'),
  message: z.string(),
  llmRequestForAgent: z.looseObject({
    apiKey: z.null(),
    modelId: z.string().nullable(),
    messages: z.array(z.unknown()),
  }),
  interactionId: z.string(),
  pendingInteractionSignalToAgent: z.looseObject({ type: z.string(), interactionId: z.string() }),
  taskId: z.string(),
  operation: z.string(),
  role: requestRoleSchema,
  serviceType: serviceTypeSchema,
  attempt: z.int(),
  expiresAt: z.string(),
  origin: requestOriginSchema.optional(),
  /** The request is large: over 20,000 tokens by estimate. */
  warning: z.string().optional(),
});

/** Over this many tokens by estimate a directive carries a warning. */
const LARGE_REQUEST_TOKENS = 20_000;

/** The warning for a request over LARGE_REQUEST_TOKENS; undefined for any other. */
function largeRequestWarning(request: object): string | undefined {
  const text = JSON.stringify(request);
  const most = LARGE_REQUEST_TOKENS * BYTES_PER_TOKEN;
  // A character is three bytes at most, so most requests need no second look.
  if (text.length * 3 <= most) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= most) return undefined;
  const tokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  return `This request is about ${tokens} tokens long (${bytes} bytes); make sure that the model takes as many.`;
}
