import { z } from 'zod';
import { isRecord, type Json } from '../json/json.ts';
import { describeBlock, readAttachableBlocks } from './content-block.ts';
import { type JsonReading, jsonReadings } from './json-in-text.ts';
import { withoutReasoning } from './reasoning.ts';
import { readToolCalls } from './tool-calls.ts';

/**
 * `agentLLMResponse`: what an agent posts with `agent_llm`. An envelope that does not parse here is refused with the
 * field named, and the interaction stays pending; the engine's agent call checks its content against the schema.
 */
export const errorDetailsSchema = z.looseObject({
  message: z.string().min(1).max(20_000),
  type: z.string().max(200).optional(),
});

/** A sequence or a count, as a number or as digits. */
const count = (most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value),
    z.int().min(0).max(most),
  );
/** Which try to stream an answer it is: a higher one takes the place of those before. */
const stream = count(1_000);

const success = z.looseObject({
  status: z.literal('success'),
  /** Of a streamed answer: the stream that it ends, and how many chunks that has. The current one, and all, when left out. */
  stream: stream.optional(),
  chunks: count(100_001).optional(),
  data: z
    .unknown()
    .refine(
      (data) => data !== undefined && data !== null,
      'is required: what the LLM answered, as {"object": {...}}, as {"text": "..."} or as the JSON itself',
    )
    .meta({
      anyOf: [
        { type: 'object', additionalProperties: true },
        { type: 'array', items: {} },
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
      ],
      description: 'What the LLM answered: {"object": {...}}, {"text": "..."} or the JSON itself',
    }),
});
const failure = z.looseObject({ status: z.literal('error'), errorDetails: errorDetailsSchema });
const streaming = z.looseObject({
  status: z.literal('streaming'),
  stream: stream.optional(),
  sequence: count(100_000),
  // Chunks are stored as UTF-8, which has no half characters: halves would never meet again.
  delta: z
    .string()
    .max(524_288)
    .refine((text) => text.isWellFormed(), {
      error: 'holds half of a surrogate pair: cut the stream between characters, never within one',
    }),
});

/** What is told of a response that is none of the three, so that whoever wrote it can send it again. */
const SHAPE =
  'send {"status": "success", "data": {"text": "..."}} with what the LLM answered ("object" or the JSON itself in the place of ' +
  '"text"), or {"status": "error", "errorDetails": {"message": "..."}}, or a chunk {"status": "streaming", "sequence": 0, "delta": "..."}';

/** Limit of an envelope's own fields; those inside `data` are not counted. */
const MAX_FIELDS = 1_000;

export const agentResponseSchema = z.preprocess(
  (value, context) => {
    const crowded = (inner: unknown) => isRecord(inner) && Object.keys(inner).length > MAX_FIELDS;
    if (!crowded(value) && !(isRecord(value) && crowded(value['errorDetails']))) return value;
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_FIELDS} fields` });
    return z.NEVER;
  },
  z.discriminatedUnion('status', [success, failure, streaming], {
    error: ({ input }) =>
      isRecord(input)
        ? `must be "success", "error" or "streaming": ${SHAPE}`
        : `must be an object, or its JSON text: ${SHAPE}`,
  }),
);
export type AgentResponse = z.infer<typeof agentResponseSchema>;
export type AgentAnswer = Exclude<AgentResponse, { status: 'streaming' }>;

/** Error types of an agent's LLM after which the engine asks again, within the call's budget of recalls. */
export const RETRYABLE_ERROR_TYPES: ReadonlySet<string> = new Set([
  'rate_limit_error',
  'timeout_error',
  'overloaded_error',
  'api_error',
]);

/** A schema as reading an answer needs it. */
export interface AnswerSchema<T> {
  check(value: unknown): Validation<T>;
  /** True for a field that the schema names at its top. */
  hasField(name: string): boolean;
  /** False where no text ever fits, so that none is checked as it is. */
  readonly takesText: boolean;
}

/** A value as its schema has it, or what is wrong with it. */
export type Validation<T> = { ok: true; value: T } | { ok: false; problem: string };

/** For a request without a schema: anything but words fits, and words may yet be JSON. */
export const anyObjectSchema: AnswerSchema<Json> = {
  hasField: () => false,
  takesText: false,
  check: (value) =>
    typeof value === 'string'
      ? { ok: false, problem: 'an object was asked for' }
      : { ok: true, value: value as Json },
};

/**
 * Reads structured data out of an answer's `data`, in the contract's order: `object` (unless the schema itself has a
 * field of that name and the whole fits), also as JSON text; the bare `data` if it fits; of the JSON in `text`, the last
 * value that fits. When nothing fits, the problem is that of the reading that the agent most likely meant.
 */
export function extractObject<T>(data: unknown, shape: AnswerSchema<T>): Validation<T> {
  if (typeof data === 'string') return readText(data, shape);
  if (!isRecord(data)) return shape.check(data);
  // The usual answer is wrapped, and to say what does not fit of its envelope costs more than to read it.
  const isWrapped = Object.hasOwn(data, 'object') && !shape.hasField('object');
  const wrapped = isWrapped ? readObject(data['object'], shape) : undefined;
  if (wrapped?.ok) return wrapped;
  const whole = isEnvelope(data, shape) ? undefined : shape.check(data);
  if (whole?.ok) return whole;
  const object = isWrapped || !Object.hasOwn(data, 'object') ? wrapped : readObject(data['object'], shape);
  if (object?.ok) return object;
  for (const bare of whole === undefined ? [] : bareDataCandidates(data)) {
    const fit = shape.check(bare);
    if (fit.ok) return fit;
  }
  const words = [...(typeof data['text'] === 'string' ? [data['text']] : []), ...textsOfContent(data)];
  const text = words.length > 0 ? readJsonText(words.join('\n'), shape) : undefined;
  return text?.ok ? text : (object ?? text ?? whole ?? { ok: false, problem: 'JSON was asked for' });
}

function readObject<T>(object: unknown, shape: AnswerSchema<T>): Validation<T> {
  return typeof object === 'string' ? readText(object, shape) : shape.check(object);
}

/** The fields of `data` that hold what a model said, by their contract. */
const SAID: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: () => true,
  text: (value) => typeof value === 'string',
  content: (value) => Array.isArray(value) && value.every((block) => isRecord(block) && 'type' in block),
  toolCalls: Array.isArray,
  tool_calls: Array.isArray,
};
/** Those that are about the call. */
const ABOUT_THE_CALL: ReadonlySet<string> = new Set(['model', 'usage', 'logprobs']);
/** Those beside the words of an assistant's message in OpenAI's form. */
const OF_A_MESSAGE: ReadonlySet<string> = new Set(['role', 'refusal', 'annotations', 'audio']);

/** An assistant's message in OpenAI's form, passed on whole: its `content` is a text. */
const isAssistantMessage = ({ role, content }: Record<string, unknown>) =>
  role === 'assistant' && (typeof content === 'string' || content === null);

/** True where all of `data` is what the contract names and the schema does not: no bare data, even if the schema is open. */
function isEnvelope(data: Record<string, unknown>, shape: AnswerSchema<unknown>): boolean {
  const names = Object.keys(data);
  if (names.some((name) => shape.hasField(name))) return false;
  const isMessage = isAssistantMessage(data);
  const isSaid = (name: string) => (isMessage && name === 'content') || (SAID[name]?.(data[name]) ?? false);
  return (
    names.some(isSaid) &&
    names.every((name) => isSaid(name) || ABOUT_THE_CALL.has(name) || (isMessage && OF_A_MESSAGE.has(name)))
  );
}

/**
 * Bare data without what may stand beside it: first what is about the LLM call, then also what the model gave besides
 * words, which may be fields of the data itself. Nothing where nothing stands beside.
 */
function bareDataCandidates(data: Record<string, unknown>): Record<string, unknown>[] {
  const { model: _model, usage: _usage, logprobs: _logprobs, ...uncounted } = data;
  const { content: _content, toolCalls: _calls, tool_calls: _openAi, ...bare } = uncounted;
  const size = (value: object) => Object.keys(value).length;
  return [
    ...(size(uncounted) < size(data) ? [uncounted] : []),
    ...(size(bare) < size(uncounted) && size(bare) > 0 ? [bare] : []),
  ];
}

/** A text as it is where it fits, or the JSON in it. */
function readText<T>(text: string, shape: AnswerSchema<T>): Validation<T> {
  const whole = shape.takesText ? shape.check(text) : undefined;
  return whole?.ok ? whole : readJsonText(text, shape);
}

/** The last value that fits; the problem of the last where none does. */
function readJsonText<T>(text: string, shape: AnswerSchema<T>): Validation<T> {
  const [last, ...earlier] = jsonReadings(text);
  const first = checkReading(last, shape);
  if (first.ok) return first;
  for (const reading of earlier) {
    const fit = checkReading(reading, shape);
    if (fit.ok) return fit;
  }
  return first;
}

function checkReading<T>(reading: JsonReading, shape: AnswerSchema<T>): Validation<T> {
  return 'value' in reading ? shape.check(reading.value) : { ok: false, problem: reading.problem };
}

/** The words of an answer to a request for text, without the reasoning before them. */
export function extractText(data: unknown): Validation<string> {
  const sent = textAsSent(data);
  return sent.ok ? { ok: true, value: withoutReasoning(sent.value) } : sent;
}

/** The text of an answer as it came: a string, `text`, or, without words in that, the text of `content`. */
export function textAsSent(data: unknown): Validation<string> {
  if (typeof data === 'string') return { ok: true, value: data };
  const text = isRecord(data) && typeof data['text'] === 'string' ? data['text'] : undefined;
  const words = text ? [] : textsOfContent(data);
  if (words.length > 0) return { ok: true, value: words.join('\n') };
  if (text !== undefined) return { ok: true, value: text };
  return { ok: false, problem: '`data` holds no text: give `text` or `content` blocks' };
}

/** The texts of `content`: of its blocks, or itself where it is one, as in OpenAI's messages. */
function textsOfContent(data: unknown): string[] {
  if (isRecord(data) && typeof data['content'] === 'string') return [data['content']];
  return blocksOf(data).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
}

/** True for an answer that gives something besides words: an image, a sound, a link, a resource. A call of a tool is none. */
export function hasNonTextContent(data: unknown): boolean {
  return blocksOf(data).some(
    ({ type }) => typeof type === 'string' && type !== 'text' && type !== 'tool_use',
  );
}

/** The content blocks of an answer (MCP, server/tools, Tool Result), whatever they hold. */
function blocksOf(data: unknown): Record<string, unknown>[] {
  return isRecord(data) && Array.isArray(data['content']) ? data['content'].filter(isRecord) : [];
}

/** The assistant's turn as it stands in a dialog: its words; without any, what blocks it brought, or its JSON, as that of function calls. */
export function answerAsMessage(data: unknown): string {
  const text = extractText(data);
  if (text.ok && text.value !== '') return text.value;
  const { blocks } = readAttachableBlocks(data);
  if (blocks.length > 0) return blocks.map(describeBlock).join('\n');
  if (text.ok && readToolCalls(data).length === 0) return text.value;
  return JSON.stringify(isRecord(data) && 'object' in data ? data['object'] : data) ?? 'null';
}
