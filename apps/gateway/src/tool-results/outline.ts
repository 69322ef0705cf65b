import { isRecord } from '@baton/protocol';

/** A longer outline is cut. Pages of lists are far below it by default. */
const MAX_OUTLINE_LENGTH = 32_000;
/** A longer text has a line of its own among the fields of a list's element. */
const MAX_INLINE_LENGTH = 120;
const MAX_DEPTH = 12;

/**
 * Data as a person reads it, for models whose host hands them the text of a reply alone: a field a line, an element of a list on one line
 * where its fields are short. Nulls and what is empty are left out, and so is a text that `said` holds already.
 */
export function outlineOf(data: object, said = ''): string {
  const outline = new Outline(said);
  outline.addFields(data as Record<string, unknown>, 0);
  return outline.text();
}

class Outline {
  readonly #said: string;
  readonly #lines: string[] = [];
  #length = 0;

  constructor(said: string) {
    this.#said = said;
  }

  addFields(fields: Readonly<Record<string, unknown>>, depth: number): void {
    for (const [name, value] of Object.entries(fields)) {
      if (this.#isFull) return;
      if (isEmpty(value) || this.#isSaid(value)) continue;
      const inline = inlineOf(value);
      if (inline !== undefined) this.#add(depth, `${name}: ${inline}`);
      else {
        this.#add(depth, `${name}:`);
        this.#addNested(value, depth + 1);
      }
    }
  }

  text(): string {
    return this.#isFull
      ? `${this.#lines.join('\n').slice(0, MAX_OUTLINE_LENGTH)}\n(cut here: structuredContent has all of it)`
      : this.#lines.join('\n');
  }

  get #isFull(): boolean {
    return this.#length > MAX_OUTLINE_LENGTH;
  }

  #isSaid(value: unknown): boolean {
    return typeof value === 'string' && value.length > MAX_INLINE_LENGTH && this.#said.includes(value);
  }

  #addNested(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) this.#add(depth, JSON.stringify(value).slice(0, MAX_OUTLINE_LENGTH));
    else if (isRecord(value)) this.addFields(value, depth);
    else if (Array.isArray(value)) {
      for (const element of value) {
        if (this.#isFull) return;
        this.#addElement(element, depth);
      }
    }
  }

  /** An element's short fields on one line, and its others beneath. */
  #addElement(element: unknown, depth: number): void {
    if (!isRecord(element)) {
      const inline = inlineOf(element);
      this.#add(depth, inline === undefined ? '-' : `- ${inline}`);
      if (inline === undefined) this.#addNested(element, depth + 1);
      return;
    }
    const fields = Object.entries(element).filter(([, value]) => !isEmpty(value));
    const isShort = (value: unknown) => (inlineOf(value)?.length ?? Infinity) <= MAX_INLINE_LENGTH;
    const short = fields.filter(([, value]) => isShort(value));
    this.#add(depth, `- ${short.map(([name, value]) => `${name}: ${inlineOf(value)}`).join('; ')}`);
    this.addFields(Object.fromEntries(fields.filter(([, value]) => !isShort(value))), depth + 1);
  }

  #add(depth: number, line: string): void {
    const indented = `${'  '.repeat(depth)}${line}`;
    this.#lines.push(indented);
    this.#length += indented.length + 1;
  }
}

/** What stands behind a field's name: a value, or a list of values that are no lists or objects; undefined for others. */
function inlineOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object') ? value.map(String).join(', ') : undefined;
  return isRecord(value) ? undefined : String(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
