import type { JsonObject } from '@baton/protocol';
import type { Hints } from './hints.ts';

/** What a request's hints come to in the body of one API: further `tools`, and further fields beside them. */
export interface ApiHints {
  readonly tools?: readonly JsonObject[];
  /** Fields of the body beside `tools`. */
  readonly body?: JsonObject;
  /** Anthropic's header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** What this API has no way to say. */
  readonly unsupported?: readonly string[];
}

/** Hints as `llmRequestForAgent` has them: in the shape of each API, and which of OpenAI's two the request needs. */
export interface RequestHints {
  readonly api?: 'chat.completions' | 'responses';
  /** OpenAI, POST /v1/chat/completions. */
  readonly chatCompletions: ApiHints;
  /** OpenAI, POST /v1/responses. */
  readonly responses: ApiHints;
  /** Anthropic, POST /v1/messages. */
  readonly messages: ApiHints;
}

/** The beta features of Anthropic's API that the shapes below belong to. */
const COMPUTER_BETA = 'computer-use-2025-01-24';
const MCP_BETA = 'mcp-client-2025-11-20';

/** Without a word of the prompt the API is `responses` where chat completions cannot say what is needed, else left open. */
export function requestHintsOf(hints: Hints): RequestHints {
  const chatCompletions = forChatCompletions(hints);
  const api = hints.api ?? (chatCompletions.unsupported === undefined ? undefined : 'responses');
  return {
    ...(api === undefined ? {} : { api }),
    chatCompletions,
    responses: forResponses(hints),
    messages: forMessages(hints),
  };
}

/** https://platform.openai.com/docs/api-reference/chat/create: `web_search_options` alone. */
function forChatCompletions({ webSearch, computerUse, mcpServers = [] }: Hints): ApiHints {
  const unsupported = [
    ...(computerUse === undefined ? [] : ['computerUse']),
    ...(mcpServers.length === 0 ? [] : ['mcpServers']),
  ];
  return {
    ...(webSearch === true ? { body: { web_search_options: {} } } : {}),
    ...(unsupported.length === 0 ? {} : { unsupported }),
  };
}

/** https://platform.openai.com/docs/api-reference/responses/create: built-in tools stand among `tools`. */
function forResponses({ webSearch, computerUse, mcpServers = [] }: Hints): ApiHints {
  const tools: JsonObject[] = mcpServers.map(({ name, url, allowedTools }) => ({
    type: 'mcp',
    server_label: name,
    server_url: url,
    ...(allowedTools === undefined ? {} : { allowed_tools: allowedTools }),
    require_approval: 'never',
  }));
  if (webSearch === true) tools.unshift({ type: 'web_search' });
  if (computerUse !== undefined) {
    const { displayWidth, displayHeight, environment } = computerUse;
    tools.push({
      type: 'computer_use_preview',
      display_width: displayWidth,
      display_height: displayHeight,
      environment,
    });
  }
  return tools.length === 0 ? {} : { tools };
}

/** https://platform.claude.com/docs/en/api/messages: a toolset for each of `mcp_servers`. */
function forMessages({ webSearch, computerUse, mcpServers = [] }: Hints): ApiHints {
  const tools: JsonObject[] = mcpServers.map(({ name, allowedTools }) => ({
    type: 'mcp_toolset',
    mcp_server_name: name,
    ...(allowedTools === undefined
      ? {}
      : {
          default_config: { enabled: false },
          configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
        }),
  }));
  if (webSearch === true) tools.unshift({ type: 'web_search_20250305', name: 'web_search' });
  if (computerUse !== undefined) {
    const { displayWidth, displayHeight } = computerUse;
    tools.push({
      type: 'computer_20250124',
      name: 'computer',
      display_width_px: displayWidth,
      display_height_px: displayHeight,
    });
  }
  const betas = [
    ...(computerUse === undefined ? [] : [COMPUTER_BETA]),
    ...(mcpServers.length === 0 ? [] : [MCP_BETA]),
  ];
  return {
    ...(tools.length === 0 ? {} : { tools }),
    ...(mcpServers.length === 0
      ? {}
      : { body: { mcp_servers: mcpServers.map(({ name, url }) => ({ type: 'url', name, url })) } }),
    ...(betas.length === 0 ? {} : { betas }),
  };
}
