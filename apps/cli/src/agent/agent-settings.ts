import { isPublicHostName, PROVIDER_ADDRESSES } from '@baton/agent';
import {
  ENDPOINT_KINDS,
  type EndpointKind,
  type ModelRole,
  modelRoleSchema,
  type RequestRole,
} from '@baton/protocol';
import { z } from 'zod';
import { findBaton, httpUrlSchema, redactedUrl } from '../settings/baton-endpoint.ts';
import {
  AGENT_SECRETS as SECRETS,
  AGENT_SETTING_NAMES as NAMES,
  PROVIDER_KEYS,
} from '../settings/agent-setting-names.ts';
import {
  commaSeparatedSchema,
  ConfigurationError,
  readSecretFiles,
  wholeNumberSchema,
} from '../settings/environment.ts';

/** What `baton agent` takes on its command line, as commander gives it. */
export type AgentFlags = Partial<Record<Exclude<keyof typeof NAMES, 'llmKey' | ListName>, string>> &
  Partial<Record<ListName, readonly string[]>> & {
    readonly once?: boolean;
  };
/** Flags that may be repeated; their variables hold lists with commas. */
type ListName = 'allowModel' | 'imageHost';

type Name = keyof typeof NAMES;

/** Never shown. */
const HIDDEN: readonly Name[] = ['key', 'llmKey'];
const ADDRESSES: readonly Name[] = ['url', 'endpoint'];
const whole = (fallback: number, least: number, most: number) =>
  wholeNumberSchema(least, most).default(fallback);

const settings = z.object({
  url: httpUrlSchema.optional(),
  key: z.string().optional(),
  provider: z.enum(ENDPOINT_KINDS).optional(),
  endpoint: httpUrlSchema.optional(),
  model: z
    .string()
    .optional()
    .transform((text, context) => readModels(text ?? '', (message) => context.addIssue(message))),
  allowModel: commaSeparatedSchema,
  maxTokens: wholeNumberSchema(1, 10_000_000).optional(),
  imageHost: commaSeparatedSchema.refine((hosts) => hosts.every(isPublicHostName), {
    error: 'must be public host names, such as images.example.com',
  }),
  llmKey: z.string().optional(),
  role: z
    .enum(modelRoleSchema.options, { error: `must be one of ${modelRoleSchema.options.join(', ')}` })
    .optional(),
  operation: z.string().min(1).max(100).optional(),
  concurrency: whole(4, 1, 50),
  leaseMs: whole(60_000, 1_000, 3_600_000),
  timeoutMs: whole(120_000, 100, 3_600_000),
  drainMs: whole(25_000, 0, 3_600_000),
});
type Parsed = z.infer<typeof settings>;

/** What `baton agent` works with. */
export interface AgentSettings
  extends Pick<
    Parsed,
    | 'endpoint'
    | 'llmKey'
    | 'maxTokens'
    | 'role'
    | 'operation'
    | 'concurrency'
    | 'leaseMs'
    | 'timeoutMs'
    | 'drainMs'
  > {
  readonly url: string;
  readonly key: string;
  readonly provider: EndpointKind;
  readonly models: Models;
  /** The provider's own variable, where it holds a key that is not sent to `endpoint`. */
  readonly withheldKey: string | undefined;
  /** Further models that requests may name; `*` is any. */
  readonly allowModels: readonly string[];
  readonly imageHosts: readonly string[];
  readonly once: boolean;
}

/** Model ids by role, and the one for roles that have none. */
export type Models = Readonly<Partial<Record<ModelRole | 'other', string>>>;

/**
 * The model that answers a request: the one that it names, if that is allowed, otherwise the agent's own for its role. Requests that
 * were stored before `modelId` could be null hold their role's name, which names no model either.
 */
export function chooseModelForRequest(
  {
    role: named,
    request,
  }: { readonly role: RequestRole; readonly request: { readonly modelId: string | null } },
  { models, allowModels }: Pick<AgentSettings, 'models' | 'allowModels'>,
): string {
  const { modelId } = request;
  const asked = modelId === named ? null : modelId;
  const isAllowed = asked !== null && (allowModels.includes(asked) || allowModels.includes('*'));
  const model = isAllowed ? asked : ((named === 'person' ? undefined : models[named]) ?? models.other);
  // The settings were refused that leave a role without one.
  if (model === undefined) throw new Error(`no model is named for the role ${named}`);
  return model;
}

/** Flags over environment over what `baton dev` left in this folder. Throws ConfigurationError naming what is wrong. */
export async function readAgentSettings(
  flags: AgentFlags,
  environment: NodeJS.ProcessEnv,
): Promise<AgentSettings> {
  const variables = readSecretFiles(environment, SECRETS);
  const given: Partial<Record<Name, string>> = {};
  for (const [name, [, variable]] of Object.entries(NAMES) as [Name, readonly [string, string]][]) {
    const value = textOf(flags[name as keyof AgentFlags]) ?? variables[variable];
    if (value !== undefined) given[name] = value;
  }
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path: [name], message }) =>
      refusal(name as Name, flags, given, message),
    );
    throw new ConfigurationError(lines.join('\n'));
  }
  const { model, allowModel, imageHost, provider: named, llmKey, ...rest } = parsed.data;
  const baton = await findBaton(
    rest,
    variables,
    'an API key of the tenant whose requests are answered, with scope agent for all of them',
  );
  const provider = named ?? impliedProvider(rest.endpoint, variables);
  requireModels(model, rest.role);
  return {
    ...rest,
    ...baton,
    provider,
    ...chooseKey(provider, rest.endpoint, llmKey, variables),
    models: model,
    allowModels: allowModel,
    imageHosts: imageHost,
    once: flags.once === true,
  };
}

/** Most requests name no model, so each role that is answered needs one. */
function requireModels(models: Models, role: ModelRole | undefined): void {
  if (models.other !== undefined) return;
  const asked = role === undefined ? modelRoleSchema.options : [role];
  const unnamed = asked.filter((name) => models[name] === undefined);
  if (unnamed.length === 0) return;
  throw new ConfigurationError(
    `--model names no model for ${unnamed.join(', ')}. Give --model <model id> for all roles (or BATON_LLM_MODEL), or one for each, ` +
      `such as --model ${unnamed.map((name) => `${name}=<model id>`).join(',')}; --role answers the requests of one role alone`,
  );
}

/** A repeated flag reads as its variable does. */
function textOf(flag: AgentFlags[keyof AgentFlags]): string | undefined {
  return typeof flag === 'object' ? flag.join(',') : typeof flag === 'string' ? flag : undefined;
}

function refusal(name: Name, flags: AgentFlags, given: Partial<Record<Name, string>>, message: string) {
  const [flag, variable] = NAMES[name];
  const value = given[name] ?? '';
  const shown = HIDDEN.includes(name) ? '(hidden)' : ADDRESSES.includes(name) ? redactedUrl(value) : value;
  return `${name in flags ? flag : variable}=${shown}: ${message}`;
}

function impliedProvider(endpoint: string | undefined, variables: NodeJS.ProcessEnv): EndpointKind {
  if (endpoint !== undefined || variables['OPENAI_API_KEY'] !== undefined) return 'openai';
  if (variables['ANTHROPIC_API_KEY'] !== undefined) return 'anthropic';
  throw new ConfigurationError(
    'No LLM is named. Give --provider openai or anthropic with its key in OPENAI_API_KEY or ANTHROPIC_API_KEY, or ' +
      '--endpoint for one of your own, such as --endpoint http://127.0.0.1:11434/v1 --model llama3.1',
  );
}

/** The provider's own variable holds a key for the provider: no other address is sent it. */
function chooseKey(
  provider: EndpointKind,
  endpoint: string | undefined,
  llmKey: string | undefined,
  variables: NodeJS.ProcessEnv,
): Pick<AgentSettings, 'llmKey' | 'withheldKey'> {
  const name = PROVIDER_KEYS[provider];
  const own = variables[name];
  if (!takesProviderKey(provider, endpoint))
    return { llmKey, withheldKey: llmKey === undefined && own !== undefined ? name : undefined };
  const key = llmKey ?? own;
  if (key !== undefined || endpoint !== undefined) return { llmKey: key, withheldKey: undefined };
  throw new ConfigurationError(
    `${name} is not set: the key of ${provider}'s API, or --endpoint for one that needs none`,
  );
}

/** Whether the key of the provider's own variable is sent: to the provider's own address alone. */
function takesProviderKey(provider: EndpointKind, endpoint: string | undefined): boolean {
  const own = PROVIDER_ADDRESSES[provider];
  return new URL(endpoint ?? own).origin === new URL(own).origin;
}

/** The settings that may hold the LLM's key. */
export function namesOfKeySettings({ provider, endpoint }: AgentSettings): string {
  return takesProviderKey(provider, endpoint)
    ? `BATON_LLM_API_KEY or ${PROVIDER_KEYS[provider]}`
    : 'BATON_LLM_API_KEY';
}

/** What there is to say of a key that is set and not sent; empty for nothing. */
export function describeWithheldKey({ withheldKey, provider, endpoint }: AgentSettings): string[] {
  if (withheldKey === undefined) return [];
  return [
    `${withheldKey} is not sent to ${endpoint}: it is for ${new URL(PROVIDER_ADDRESSES[provider]).origin} alone. ` +
      'Where this endpoint needs a key, give it as BATON_LLM_API_KEY.',
  ];
}

/** `gpt-x` for all, `main=gpt-x,research=sonar` by role, or both: `gpt-x,research=sonar`. */
function readModels(text: string, refuse: (message: string) => void): Models {
  const models: Partial<Record<ModelRole | 'other', string>> = {};
  for (const part of text.split(',').map((item) => item.trim())) {
    const [, named, id] = /^(\w+)=(.*)$/.exec(part) ?? [];
    if (named === undefined) {
      if (part !== '') models.other = part;
      continue;
    }
    const known = modelRoleSchema.safeParse(named);
    if (!known.success) refuse(`'${named}' is no role; roles are ${modelRoleSchema.options.join(', ')}`);
    else if (id === undefined || id === '') refuse(`no model is named for ${named}`);
    else models[known.data] = id;
  }
  return models;
}
