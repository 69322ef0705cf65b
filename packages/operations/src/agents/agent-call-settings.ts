import type { AgentDefinition } from '@baton/agent-definitions';
import type { AgentCall, AnswerParser } from '@baton/engine';
import {
  extractText,
  type JsonObject,
  type Message,
  readAttachableBlocks,
  type Validation,
} from '@baton/protocol';
import { definedFields } from '../schema/defined-fields.ts';

/** An answer in words, or in content alone: an image, a sound, a link, a resource. Its words are empty then. */
export const wordsParser: AnswerParser<string> = {
  *read(data): Generator<never, Validation<string>> {
    const text = extractText(data);
    if (text.ok && text.value.trim() !== '') return text;
    if (readAttachableBlocks(data).blocks.length > 0) return { ok: true, value: '' };
    return text.ok ? { ok: false, problem: 'the text is empty' } : text;
  },
};

/** The system message of an agent: its instructions, and how it speaks. A block of YAML ends with a line break. */
export function systemMessageOf({ instructions, personality }: AgentDefinition): Message {
  const parts = [instructions, personality ?? ''].map((text) => text.trimEnd());
  return { role: 'system', content: parts.filter((text) => text !== '').join('\n\n') };
}

type OwnSettings = Pick<
  AgentCall<string>,
  'role' | 'modelId' | 'maxTokens' | 'temperature' | 'chosenBy' | 'budgets' | 'parameters'
>;

/** What of a call is the agent's own: its model, its bounds, and hints for whoever makes the call. */
export function ownSettingsOf(agent: AgentDefinition): OwnSettings {
  const { model, maxTokens, temperature, budgets = {}, webSearchEnabled, mcpExtensions } = agent;
  const hints: JsonObject = {
    ...(webSearchEnabled ? { webSearchEnabled } : {}),
    ...(mcpExtensions === undefined ? {} : { mcpExtensions }),
  };
  return {
    role: 'main',
    modelId: model,
    maxTokens,
    temperature,
    chosenBy: 'definition',
    // What is left out keeps its default.
    budgets: definedFields(budgets),
    parameters: hints,
  };
}
