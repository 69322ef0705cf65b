import { isRecord, type LlmRequest } from '@baton/protocol';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { corruptAnswer } from '../../scripted-agent/answer-variants.ts';
import { parseRequestFacts } from '../../scripted-agent/request-facts.ts';
import { buildSchemaValue } from '../../scripted-agent/schema-value.ts';

/**
 * What becomes of an answer: it is taken, its request is asked again, or the answer itself is refused by its size and its request
 * stays pending; `taken or asked again` is for what an operation may repair.
 */
export type Fate = 'taken' | 'asked again' | 'taken or asked again' | 'refused';

export interface HostileAnswer {
  readonly name: string;
  /** Of a request with a schema; in words, text is taken as it is, and what is no text asked again. */
  readonly fate: Fate;
  /** The answer's `data`; `right` is JSON that fits the request's schema, or an object with a text where it has none. */
  readonly data: (right: unknown, random: SeededRandom) => NonNullable<unknown>;
}

const MANY = 10_000;
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** So many fit into one body, whatever the random item holds: texts are cut, and lists are empty. */
function shortened(item: Record<string, unknown>): Record<string, unknown> {
  const short = (value: unknown) => {
    if (Array.isArray(value)) return [];
    return typeof value === 'string' ? value.slice(0, 20) : value;
  };
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, short(value)]));
}

/** One item for each of `MANY` ids, made like the first item of the first list. */
function multiplied(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [first] = value;
    return Array.from({ length: MANY }, (_, at) =>
      isRecord(first) ? { ...shortened(first), ...('id' in first ? { id: at + 1 } : {}) } : first,
    );
  }
  if (!isRecord(value)) return value;
  const listed = Object.entries(value).find(([, inner]) => Array.isArray(inner) && isRecord(inner[0]));
  if (listed !== undefined) return { ...value, [listed[0]]: multiplied(listed[1]) };
  // Not a list of tasks: as many where one is asked for.
  return { tasks: Array.from({ length: MANY }, (_, at) => ({ ...shortened(value), id: at + 1 })) };
}

/** What an agent may send in place of what it was asked for, by mistake or by intent. */
export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  {
    name: 'colliding ids',
    fate: 'taken or asked again',
    data: (right, random) => corruptAnswer(right, 'duplicate_ids', 'object', random),
  },
  {
    name: 'a cycle of dependencies',
    fate: 'taken or asked again',
    data: (right, random) => corruptAnswer(right, 'cycle', 'object', random),
  },
  { name: '10,000 tasks', fate: 'refused', data: (right) => ({ object: multiplied(right) }) },
  {
    name: '10,000 tasks as text',
    fate: 'taken or asked again',
    data: (right) => ({ text: JSON.stringify(multiplied(right)) }),
  },
  {
    name: 'half a JSON',
    fate: 'asked again',
    data: (right, random) => corruptAnswer(right, 'half_json', 'text', random),
  },
  { name: 'a fence', fate: 'taken', data: (right) => ({ text: `\`\`\`json\n${json(right)}\n\`\`\`` }) },
  {
    name: 'a fence in prose',
    fate: 'taken',
    data: (right, random) => corruptAnswer(right, 'prose_around', 'text', random),
  },
  {
    name: 'a fence without its end',
    fate: 'taken or asked again',
    data: (right) => ({ text: `\`\`\`json\n${json(right)}` }),
  },
  {
    name: 'two fences',
    fate: 'taken or asked again',
    data: (right) => ({ text: `\`\`\`json\n{}\n\`\`\`\nor\n\`\`\`json\n${json(right)}\n\`\`\`` }),
  },
];

/** A value that fits the request's schema, or an object where words are asked for. */
export function rightValue(request: LlmRequest, random: SeededRandom): unknown {
  const facts = parseRequestFacts(request.messages);
  return request.schema === undefined
    ? { note: facts.sentences.slice(0, 2).join(' ') }
    : buildSchemaValue(request.schema, facts, random);
}

/** The `data` of an answer that is taken. */
export function rightAnswer(request: LlmRequest, random: SeededRandom): NonNullable<unknown> {
  const value = rightValue(request, random);
  return request.schema === undefined ? { text: JSON.stringify(value) } : { object: value };
}
