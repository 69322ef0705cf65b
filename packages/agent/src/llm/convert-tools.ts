import { isRecord } from '@baton/protocol';
import { jsonSchema, type ModelMessage, tool, type ToolChoice, type ToolSet } from 'ai';

/**
 * A request's `tools`, in OpenAI's form or MCP's. None of them is run here: what the model wants called goes back to
 * Baton with the answer.
 */
export function convertTools(given: unknown): ToolSet {
  if (!Array.isArray(given)) return {};
  const tools = given.filter(isRecord).map((entry): [string, ToolSet[string]] => {
    const own = isRecord(entry['function']) ? entry['function'] : entry;
    const schema = own['parameters'] ?? own['inputSchema'] ?? own['input_schema'];
    const inputSchema = jsonSchema<unknown>(isRecord(schema) ? schema : { type: 'object' });
    const { description } = own;
    const described = typeof description === 'string' ? { description } : {};
    return [String(own['name']), tool<unknown, never>({ ...described, inputSchema }) as ToolSet[string]];
  });
  return Object.fromEntries(tools);
}

/**
 * The tools that a dialog's turns called, of any input: Anthropic's API refuses such turns in a request without tools. They are
 * to be offered with `toolChoice` `none`, so that none is called.
 */
export function toolsOfTurns(messages: readonly ModelMessage[]): ToolSet {
  const parts = messages.flatMap<unknown>(({ content }) => (typeof content === 'string' ? [] : content));
  const names = parts.flatMap((part) =>
    isRecord(part) && (part['type'] === 'tool-call' || part['type'] === 'tool-result')
      ? [String(part['toolName'])]
      : [],
  );
  return convertTools([...new Set(names)].map((name) => ({ name })));
}

/** The longest name of a function that every API takes. */
const MAX_NAME_LENGTH = 64;

/**
 * Names and ids of calls, as endpoints take them in the turns of a dialog: a model may have written others, such as
 * `functions.look`, which endpoints refuse when they are sent back. Names of functions that the request offers stay as they are.
 */
export class CallNaming {
  private readonly offered: ReadonlySet<string>;
  private readonly hasPlainIds: boolean;
  /** By the id that was given. */
  private readonly ids = new Map<string, string>();
  private readonly taken = new Set<string>();

  /** @param hasPlainIds whether the API refuses ids with other characters than names have, as Anthropic's does. */
  constructor({ offered = [], hasPlainIds = false }: { offered?: string[]; hasPlainIds?: boolean } = {}) {
    this.offered = new Set(offered);
    this.hasPlainIds = hasPlainIds;
  }

  name(given: string): string {
    return this.offered.has(given) ? given : inPlainCharacters(given).slice(0, MAX_NAME_LENGTH);
  }

  /** The same for the same id, and never that of another. */
  id(given: string): string {
    if (!this.hasPlainIds) return given;
    const known = this.ids.get(given);
    if (known !== undefined) return known;
    const plain = inPlainCharacters(given);
    let id = plain;
    for (let n = this.taken.size; this.taken.has(id); n++) id = `${plain}_${n}`;
    this.ids.set(given, id);
    this.taken.add(id);
    return id;
  }
}

function inPlainCharacters(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}

/** A request's `toolChoice` (OpenAI's `tool_choice`), if it has one. */
export function convertToolChoice(given: unknown): ToolChoice<ToolSet> | undefined {
  if (given === 'auto' || given === 'none' || given === 'required') return given;
  if (!isRecord(given)) return undefined;
  const inner = isRecord(given['function']) ? given['function'] : given;
  const name = inner['name'] ?? inner['toolName'];
  return typeof name === 'string' ? { type: 'tool', toolName: name } : undefined;
}
