import { isRecord } from '@baton/protocol';

/** The names of Rustbot's files, and of its Rust structure, by Baton's. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  instructions: ['instruction', 'systemPrompt', 'system_prompt'],
  isPrimary: ['is_primary'],
  webSearchEnabled: ['web_search_enabled'],
  mcpExtensions: ['mcp_extensions'],
  maxTokens: ['max_tokens'],
};

/** What belongs to the program that Rustbot is: its own places, keys and notes. Keys of a provider are never stored. */
const NOT_TAKEN = [
  '$schema',
  'version',
  'provider',
  'apiKey',
  'api_key',
  'apiBase',
  'api_base',
  'metadata',
  'mcpConfigFile',
  'mcp_config_file',
];

/** Fields that only a file of Rustbot's has: there `parameters` are those of the model, not a tool's. */
const OF_A_FILE = ['instruction', 'systemPrompt', 'system_prompt', 'provider', 'capabilities'];

/** An agent in Baton's names, and the fields that were left out. */
export interface ImportedAgent {
  readonly agent: unknown;
  readonly ignored: readonly string[];
}

/** An agent as it was sent, in Baton's names or in Rustbot's. What is none of both stays, and is refused where it is parsed. */
export function importRustbot(sent: unknown): ImportedAgent {
  if (!isRecord(sent)) return { agent: sent, ignored: [] };
  const agent: Record<string, unknown> = { ...sent };
  for (const [name, others] of Object.entries(OTHER_NAMES)) {
    const other = others.find((one) => Object.hasOwn(agent, one));
    if (other === undefined || Object.hasOwn(agent, name)) continue;
    agent[name] = agent[other];
    delete agent[other];
  }
  const isFile = OF_A_FILE.some((name) => Object.hasOwn(sent, name));
  const ignored = isFile ? takeFileFields(agent) : [];
  for (const name of NOT_TAKEN) {
    if (!Object.hasOwn(agent, name)) continue;
    if (name !== '$schema' && name !== 'version') ignored.push(name);
    delete agent[name];
  }
  for (const name of ['personality', 'description'])
    if (agent[name] === null || agent[name] === '') delete agent[name];
  agent['id'] ??= typeof sent['name'] === 'string' ? idFromName(sent['name']) : undefined;
  return { agent, ignored: ignored.toSorted() };
}

/** Takes what a file keeps in `parameters` and `capabilities`; returns what of it has no place here. */
function takeFileFields(agent: Record<string, unknown>): string[] {
  return [...takeCapabilities(agent), ...takeModelParameters(agent)];
}

function takeCapabilities(agent: Record<string, unknown>): string[] {
  const { capabilities } = agent;
  delete agent['capabilities'];
  if (!isRecord(capabilities)) return capabilities === undefined ? [] : ['capabilities'];
  const { webSearch, ...rest } = capabilities;
  if (webSearch !== undefined) agent['webSearchEnabled'] ??= webSearch === true;
  return Object.keys(rest).map((name) => `capabilities.${name}`);
}

function takeModelParameters(agent: Record<string, unknown>): string[] {
  const { parameters } = agent;
  if (!isRecord(parameters) || parameters['type'] === 'object') return [];
  delete agent['parameters'];
  const { temperature, maxTokens, max_tokens, ...rest } = parameters;
  if (temperature !== undefined) agent['temperature'] ??= temperature;
  if ((maxTokens ?? max_tokens) !== undefined) agent['maxTokens'] ??= maxTokens ?? max_tokens;
  return Object.keys(rest).map((name) => `parameters.${name}`);
}

/** A file without an id is named by its `name`: `secure-agent` is `secure_agent`. */
function idFromName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 48);
}
