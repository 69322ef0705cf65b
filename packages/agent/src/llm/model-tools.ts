import { anthropic, type AnthropicLanguageModelOptions } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { isRecord, type LlmRequest } from '@baton/protocol';
import type { LanguageModel, ToolSet } from 'ai';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { convertTools } from './convert-tools.ts';
import { OPENAI_PROVIDER, RESPONSES_API } from './reply-metadata.ts';

/** The tools of a model's own side that a request hints at: its endpoint runs them, or whoever has the computer. */
interface HintedTools {
  readonly webSearch: boolean;
  readonly computer?: { readonly displayWidth: number; readonly displayHeight: number } | undefined;
  readonly mcpServers: readonly McpServer[];
  /** MCP servers by name alone, which no API takes. */
  readonly mcpExtensions: boolean;
}

interface McpServer {
  readonly name: string;
  readonly url: string;
  readonly allowedTools?: string[] | undefined;
}

/** The hints that an endpoint may refuse by name. */
type ToolHint = 'webSearch' | 'computerUse' | 'mcpServers';

/** What the hints of a request come to in a call of the `ai` package, and those that are no part of it. */
export interface ModelTools {
  readonly tools: ToolSet;
  readonly options: Readonly<Record<string, Record<string, never>>>;
  readonly unsupported: readonly (ToolHint | 'mcpExtensions')[];
}

/**
 * The hints of a request as its model's API takes them: tools of Anthropic's messages and of OpenAI's responses, `web_search_options` of
 * OpenAI's chat completions.
 * `sends` says whether the call sends what the API takes, which the endpoint may have refused before. Requests that callers bring
 * themselves have none: Baton drops them.
 */
export function modelToolsOf(
  { request }: DelegatedRequest,
  model: LanguageModel,
  sends: (hint: ToolHint) => boolean,
): ModelTools {
  const hinted = readHints(request);
  const asked: readonly ToolHint[] = [
    ...(hinted.webSearch ? ['webSearch' as const] : []),
    ...(hinted.computer === undefined ? [] : ['computerUse' as const]),
    ...(hinted.mcpServers.length === 0 ? [] : ['mcpServers' as const]),
  ];
  const api = typeof model === 'string' ? '' : model.provider;
  const forms = formsOf(hinted, api);
  // Functions of the request come first: the model would not know the two apart.
  const taken = new Set(Object.keys(convertTools(request['tools'])));
  const isFree = ({ tools = {} }: Form) => Object.keys(tools).every((name) => !taken.has(name));
  const sent = asked.filter((hint) => forms[hint] !== undefined && isFree(forms[hint]) && sends(hint));
  return {
    tools: Object.assign({}, ...sent.map((hint) => forms[hint]?.tools)),
    options: Object.assign({}, ...sent.map((hint) => forms[hint]?.options)),
    unsupported: [
      ...asked.filter((hint) => !sent.includes(hint)),
      ...(hinted.mcpExtensions ? ['mcpExtensions' as const] : []),
    ],
  };
}

type Form = Partial<Pick<ModelTools, 'tools' | 'options'>>;

function formsOf(hinted: HintedTools, api: string): Partial<Record<ToolHint, Form>> {
  if (api.startsWith('anthropic')) return anthropicForms(hinted);
  if (api === RESPONSES_API) return responsesForms(hinted);
  return { webSearch: { options: { [OPENAI_PROVIDER]: { web_search_options: {} as never } } } };
}

/** The package has no tool for a computer of OpenAI's. */
function responsesForms({ mcpServers }: HintedTools): Partial<Record<ToolHint, Form>> {
  const servers = mcpServers.map(({ name, url: serverUrl, allowedTools }): [string, object] => [
    `mcp_${name}`,
    openai.tools.mcp({
      serverLabel: name,
      serverUrl,
      requireApproval: 'never',
      ...(allowedTools === undefined ? {} : { allowedTools }),
    }),
  ]);
  return {
    webSearch: { tools: toolSet({ web_search: openai.tools.webSearch({}) }) },
    mcpServers: { tools: toolSet(Object.fromEntries(servers)) },
  };
}

function anthropicForms({ computer, mcpServers }: HintedTools): Partial<Record<ToolHint, Form>> {
  const servers: AnthropicLanguageModelOptions['mcpServers'] = mcpServers.map(
    ({ name, url, allowedTools }) => ({
      type: 'url',
      name,
      url,
      ...(allowedTools === undefined ? {} : { toolConfiguration: { enabled: true, allowedTools } }),
    }),
  );
  const { displayWidth: displayWidthPx, displayHeight: displayHeightPx } = computer ?? {
    displayWidth: 0,
    displayHeight: 0,
  };
  return {
    webSearch: { tools: toolSet({ web_search: anthropic.tools.webSearch_20250305() }) },
    computerUse: {
      tools: toolSet({ computer: anthropic.tools.computer_20250124({ displayWidthPx, displayHeightPx }) }),
    },
    mcpServers: { options: { anthropic: { mcpServers: servers as never } } },
  };
}

/** The package's own tools do not fit its own type under `exactOptionalPropertyTypes`. */
function toolSet(tools: Readonly<Record<string, object>>): ToolSet {
  return tools as ToolSet;
}

/**
 * A request's hints: those of a prompt, which stand in it as what they come to in each API (OpenAI's responses have all of them), and
 * an agent's `webSearchEnabled` and `mcpExtensions`.
 */
function readHints(request: LlmRequest): HintedTools {
  const { hints, webSearchEnabled, mcpExtensions } = request as Record<string, unknown>;
  const responses = isRecord(hints) && isRecord(hints['responses']) ? hints['responses']['tools'] : undefined;
  const tools = Array.isArray(responses) ? responses.filter(isRecord) : [];
  const computer = tools.find(({ type }) => type === 'computer_use_preview');
  return {
    webSearch: webSearchEnabled === true || tools.some(({ type }) => type === 'web_search'),
    computer: computer && {
      displayWidth: Number(computer['display_width']),
      displayHeight: Number(computer['display_height']),
    },
    mcpServers: tools
      .filter(({ type }) => type === 'mcp')
      .map(({ server_label: name, server_url: url, allowed_tools: allowed }) => ({
        name: String(name),
        url: String(url),
        allowedTools: Array.isArray(allowed) ? allowed.map(String) : undefined,
      })),
    mcpExtensions: Array.isArray(mcpExtensions) && mcpExtensions.length > 0,
  };
}
