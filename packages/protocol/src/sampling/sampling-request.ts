import type { DelegatedCall, LlmRequest } from '../delegation/delegation.ts';
import { jsonInstruction } from '../delegation/json-instruction.ts';
import { messageText, type Message, type ToolCall } from '../delegation/message.ts';
import { isRecord } from '../json/json.ts';
import { parseJson } from '../json/json-text.ts';
import { type SamplingBlock, samplingBlocks } from './sampling-content.ts';

/** Params of `sampling/createMessage` (MCP 2025-11-25, client/sampling; the same in 2026-07-28). */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: { readonly hints: readonly { readonly name: string }[] };
  readonly tools?: readonly SamplingTool[];
  readonly toolChoice?: { readonly mode: 'auto' | 'required' | 'none' };
}

interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingBlock | readonly SamplingBlock[];
}

interface SamplingTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Record<string, unknown>;
}

/** MCP wants a limit, and a request may have none. */
const DEFAULT_MAX_TOKENS = 8_192;

/**
 * An LLM request as `sampling/createMessage`: its system messages are the system prompt, its schema an instruction there, its model a hint. Of
 * its parameters those are left out that MCP has no name for. Undefined for a request with tools, or with turns that called some, to a client that takes no tools
 * (`takesTools`: it declared `sampling.tools`).
 */
export function toSamplingRequest(
  { request, serviceType }: Pick<DelegatedCall, 'request' | 'serviceType'>,
  takesTools: boolean,
): SamplingRequest | undefined {
  const tools = toolsOf(request['tools']);
  const { system, messages } = dialogOf(request.messages);
  const callsTools = messages.some(({ content }) => [content].flat().some(isToolBlock));
  if (!takesTools && (tools.length > 0 || callsTools)) return undefined;
  const wantsJson = request.schema !== undefined || serviceType === 'generateObject';
  const systemPrompt = [...system, ...(wantsJson ? [jsonInstruction(request)] : [])].join('\n\n');
  const { modelId, maxTokens = DEFAULT_MAX_TOKENS, temperature } = request;
  // What a caller gave, as it came.
  const stop = [request['stopSequences'] ?? request['stop_sequences'] ?? request['stop']].flat();
  const stopSequences = stop.filter((one) => typeof one === 'string');
  const mode = toolMode(request['toolChoice'] ?? request['tool_choice']);
  return {
    messages,
    ...(systemPrompt !== '' && { systemPrompt }),
    maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences.length > 0 && { stopSequences }),
    ...(typeof modelId === 'string' && { modelPreferences: { hints: [{ name: modelId }] } }),
    ...(tools.length > 0 && { tools, ...(mode !== undefined && { toolChoice: { mode } }) }),
  };
}

function dialogOf(given: LlmRequest['messages']): { system: string[]; messages: SamplingMessage[] } {
  const system: string[] = [];
  const messages: SamplingMessage[] = [];
  let results: SamplingBlock[] = [];
  // Results of tools stand together, in one message of nothing else (MCP 2025-11-25, client/sampling, Tool Result Messages).
  const addResults = () => {
    if (results.length > 0) messages.push({ role: 'user', content: results });
    results = [];
  };
  for (const message of given) {
    if (message.role === 'tool') {
      results.push({
        type: 'tool_result',
        toolUseId: message.tool_call_id,
        content: samplingBlocks(message.content),
      });
      continue;
    }
    addResults();
    if (message.role === 'system') system.push(messageText(message));
    else messages.push(turnOf(message));
  }
  addResults();
  // A request of nothing but instructions is one to follow them.
  if (messages.length === 0) messages.push({ role: 'user', content: textBlock(system.pop() ?? '') });
  return { system, messages };
}

function turnOf(message: Message): SamplingMessage {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []).map(toolUse) : [];
  const [first = textBlock(''), ...others] = [...samplingBlocks(message.content), ...calls];
  return { role, content: others.length === 0 ? first : [first, ...others] };
}

function toolUse({ id, function: { name, arguments: text } }: ToolCall): SamplingBlock {
  let input: unknown;
  try {
    input = parseJson(text);
  } catch {
    // A model wrote it.
  }
  return { type: 'tool_use', id, name, input: isRecord(input) ? input : {} };
}

function textBlock(text: string): SamplingBlock {
  return { type: 'text', text };
}

function isToolBlock({ type }: SamplingBlock): boolean {
  return type === 'tool_use' || type === 'tool_result';
}

/** Tools in OpenAI's form or MCP's. */
function toolsOf(given: unknown): SamplingTool[] {
  if (!Array.isArray(given)) return [];
  return given.filter(isRecord).flatMap((entry) => {
    const own = isRecord(entry['function']) ? entry['function'] : entry;
    const { name, description } = own;
    if (typeof name !== 'string') return [];
    const schema = own['parameters'] ?? own['inputSchema'] ?? own['input_schema'];
    return {
      name,
      ...(typeof description === 'string' && { description }),
      inputSchema: isRecord(schema) ? schema : { type: 'object' },
    };
  });
}

/** One named tool has no mode of its own. */
function toolMode(choice: unknown): 'auto' | 'required' | 'none' | undefined {
  if (choice === 'auto' || choice === 'required' || choice === 'none') return choice;
  return isRecord(choice) ? 'required' : undefined;
}
