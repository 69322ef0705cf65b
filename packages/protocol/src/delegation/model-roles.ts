import { z } from 'zod';

/** A role is asked of so many routes, one after the other. */
export const MAX_ROUTES = 3;

const modelId = z.string().min(1).max(200);

const fixedModel = z
  .boolean()
  .optional()
  .describe("True: every request names this route's model, whatever its agent, prompt or caller names");

/** The route to the calling agent; `AgentLLM` is its other name. */
const agentRoute = z.strictObject({
  kind: z.enum(['agent', 'AgentLLM']).transform(() => 'agent' as const),
  modelId: modelId
    .optional()
    .describe("The model that the request names; without it null: the agent's own choice"),
  fixedModel,
});

const NO_BASE_URL =
  'must be an http or https address without user, query or fragment, such as https://api.openai.com/v1';

/** The APIs of LLM endpoints: OpenAI's chat completions, which many endpoints speak, and its responses, and Anthropic's messages. */
export const ENDPOINT_KINDS = ['openai', 'openai-responses', 'anthropic'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** The route to an LLM endpoint, which a worker calls. */
const endpointRoute = z.strictObject({
  kind: z
    .enum(ENDPOINT_KINDS)
    .describe(
      "OpenAI's chat completions, which many endpoints speak, its responses, or Anthropic's messages",
    ),
  baseUrl: z
    .string()
    .max(500)
    .refine(isBaseUrl, { error: NO_BASE_URL })
    .describe('The address that /chat/completions, /responses or /messages is put behind'),
  modelId: modelId.describe(
    'The model that the endpoint is asked for where no agent or prompt names its own',
  ),
  fixedModel,
  apiKey: z
    .string()
    .min(1)
    .max(2_000)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .nullable()
    .optional()
    .describe(
      'Sealed when it is stored, and never shown again. Left out: the one that is stored; null: none',
    ),
  timeoutMs: z
    .int()
    .min(100)
    .max(600_000)
    .optional()
    .describe('How long one call may take, in milliseconds; 120,000 without it'),
});

export const roleRouteSchema = z.discriminatedUnion('kind', [agentRoute, endpointRoute]);

const bounds = {
  maxTokens: z.int().min(1).max(10_000_000).optional().describe('Tokens of one answer at most'),
  temperature: z
    .number()
    .min(0)
    .max(10)
    .optional()
    .describe("In the place of an operation's own; agents, prompts and callers keep what they name"),
};

/** What the requests of a role are asked of: the first route, the next where that fails for good or is not answered. */
export const roleInputSchema = z.strictObject({
  routes: z.array(roleRouteSchema).min(1).max(MAX_ROUTES),
  ...bounds,
});
export type RoleInput = z.infer<typeof roleInputSchema>;

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '' && !/[?#]/.test(text);
}

export const DEFAULT_PROVIDER_TIMEOUT_MS = 120_000;
