import { isRecord, type LlmRequest, messageText } from '@baton/protocol';
import type { SeededRandom } from '../harness/seeded-random.ts';
import type { RequestFacts } from './request-facts.ts';
import { buildSchemaValue } from './schema-value.ts';

/**
 * The `data` of an answer to a request without a schema: calls of all functions that it offers, unless it has results of
 * functions; the letter of a class; the tags that its instructions list; or some sentences of its prose. `isFaulty` answers
 * where only a form will do without that form: arguments that lack a field, no letter, tags that are left open.
 */
export function answerInWords(
  request: LlmRequest,
  facts: RequestFacts,
  random: SeededRandom,
  isFaulty = false,
): NonNullable<unknown> {
  const { messages } = request;
  const prose = facts.sentences.slice(0, 3).join(' ');
  const tools = Array.isArray(request['tools']) ? request['tools'].filter(isRecord) : [];
  if (tools.length > 0 && !messages.some(({ role }) => role === 'tool')) {
    const toolCalls = tools.map((tool, at) => {
      const { name, parameters } = tool['function'] as { name: string; parameters: object };
      const given = isFaulty ? {} : buildSchemaValue(parameters, facts, random);
      return { id: `call_${at + 1}`, name, arguments: given };
    });
    return { toolCalls };
  }
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(messageText)
    .join('\n');
  const letters = [...system.matchAll(/^([A-Z]): /gm)].map(([, letter = '']) => letter);
  if (letters.length > 0 && system.includes('the letter of one class'))
    // Not twice the same: a request that is asked again would be the same, and drawn the same.
    return { text: isFaulty ? `maybe ${random.next()}` : random.pick(letters) };
  const tags = [...system.matchAll(/^- <([\w.-]+)> \((.*)\)$/gm)];
  if (tags.length === 0) return { text: prose };
  const end = (name: string) => (isFaulty ? ` ${random.next()}` : `</${name}>`);
  const texts = tags.map(([, name = '', notes = '']) =>
    notes.includes('empty:') ? `<${name}/>` : `<${name}>${random.pick(facts.sentences)}${end(name)}`,
  );
  return { text: texts.join('\n') };
}
