/** Where each setting of `baton agent` comes from: its flag, else its environment variable. */
export const AGENT_SETTING_NAMES = {
  url: ['--url', 'BATON_URL'],
  key: ['--key', 'BATON_API_KEY'],
  provider: ['--provider', 'BATON_LLM_PROVIDER'],
  endpoint: ['--endpoint', 'BATON_LLM_ENDPOINT'],
  model: ['--model', 'BATON_LLM_MODEL'],
  allowModel: ['--allow-model', 'BATON_LLM_ALLOW_MODELS'],
  maxTokens: ['--max-tokens', 'BATON_LLM_MAX_TOKENS'],
  imageHost: ['--image-host', 'BATON_LLM_IMAGE_HOSTS'],
  llmKey: ['', 'BATON_LLM_API_KEY'],
  role: ['--role', 'BATON_AGENT_ROLE'],
  operation: ['--operation', 'BATON_AGENT_OPERATION'],
  concurrency: ['--concurrency', 'BATON_AGENT_CONCURRENCY'],
  leaseMs: ['--lease-ms', 'BATON_AGENT_LEASE_MS'],
  timeoutMs: ['--timeout-ms', 'BATON_AGENT_TIMEOUT_MS'],
  drainMs: ['--drain-ms', 'BATON_AGENT_DRAIN_MS'],
} as const;

/** Settings that are never shown, and that may stand in a file named by `<NAME>_FILE`. */
export const AGENT_SECRETS = ['BATON_API_KEY', 'BATON_LLM_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'];

/** The providers' own variables, which other programs read as well. */
export const PROVIDER_KEYS = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
} as const;
