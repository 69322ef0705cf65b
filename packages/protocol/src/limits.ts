import { z } from 'zod';

/** A tenant's limits. Bytes are of UTF-8. */
const upTo = (most: number, what: string) => z.int().min(1).max(most).describe(what);

/** No tenant's limit exceeds it, and no replica reads a larger body. */
export const MAX_BODY_BYTES = 4_194_304;

/** The same for the body of an import, which `requestBytes` does not bound. */
export const MAX_IMPORT_BYTES = 16_777_216;

const between = (least: number, most: number, what: string) => z.int().min(least).max(most).describe(what);

export const limitsSchema = z.strictObject({
  requestsPerSecond: upTo(1_000_000, 'Requests per second, refilled evenly'),
  burst: upTo(1_000_000, 'Requests at once before the rate counts'),
  pendingInteractions: upTo(10_000_000, 'Interactions that may wait for an answer at once'),
  openTasks: upTo(10_000_000, 'Tasks that may be unfinished at once'),
  requestBytes: upTo(MAX_BODY_BYTES, 'Bytes of one request body'),
  answerBytes: upTo(MAX_BODY_BYTES, 'Bytes of one answer (agentLLMResponse)'),
  delegatedRequestBytes: upTo(MAX_BODY_BYTES, 'Bytes of one delegated LLM request'),
  promptTokens: between(
    500,
    50_000,
    'Tokens by estimate that a delegated request may spend on its project, beside the tasks and documents that it is about',
  ),
  apiKeys: upTo(10_000, 'API keys, those that ended within a week included while there is room'),
  storedBytes: upTo(1_099_511_627_776, 'Bytes of everything that is stored: projects and tasks'),
  projects: upTo(1_000_000, 'Projects'),
  workflows: upTo(1_000, 'Workflows'),
  conversations: upTo(100_000, 'Conversations; those unused for the longest leave first'),
  conversationMessages: upTo(10_000, 'Messages of one conversation; its oldest turns leave first'),
  conversationBytes: upTo(MAX_BODY_BYTES, 'Bytes of one conversation; its oldest turns leave first'),
  agents: upTo(1_000, 'Agents'),
  prompts: upTo(1_000, 'Prompts of the registry'),
  projectBytes: upTo(67_108_864, 'Bytes of one project'),
  providerCalls: upTo(1_000, 'Calls to LLM endpoints that are made at once; the others wait for their turn'),
  retainedTasks: upTo(10_000_000, 'Ended tasks that stay readable; the oldest leave first'),
});
export type Limits = z.infer<typeof limitsSchema>;

export const DEFAULT_LIMITS: Limits = {
  requestsPerSecond: 100,
  burst: 200,
  pendingInteractions: 1_000,
  openTasks: 10_000,
  requestBytes: 1_048_576,
  answerBytes: 524_288,
  delegatedRequestBytes: 262_144,
  promptTokens: 8_000,
  apiKeys: 1_000,
  storedBytes: 268_435_456,
  projects: 100,
  workflows: 100,
  conversations: 1_000,
  conversationMessages: 1_000,
  conversationBytes: 196_608,
  agents: 100,
  prompts: 200,
  projectBytes: 8_388_608,
  providerCalls: 16,
  retainedTasks: 10_000,
};

/** What a new tenant may be given: any of them. */
export const limitsPatchSchema = limitsSchema.partial();

/** What a change may give: any of them, or null for its default. */
export type LimitsChange = { readonly [Name in keyof Limits]?: Limits[Name] | null | undefined };
export const limitsChangeSchema: z.ZodType<LimitsChange> = z.strictObject(
  Object.fromEntries(Object.entries(limitsSchema.shape).map(([name, limit]) => [name, limit.nullish()])),
);

/** The longest that a request is held (clients cut calls at 60 s). */
export const MAX_WAIT_MS = 25_000;
export const DEFAULT_WAIT_MS = 10_000;
export const MAX_JOURNAL_BYTES = 16_777_216;
