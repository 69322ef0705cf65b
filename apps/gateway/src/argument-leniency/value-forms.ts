import { isRecord, JsonTextError, parseJson } from '@baton/protocol';

/**
 * The forms in which callers and models write a value of a type, beside its own. `read` gives undefined for what is no such form: it goes to
 * the schema as it came, so that an error shows what was sent.
 */
interface ValueForm {
  readonly type: string;
  /** Only where the schema lists this type beside. */
  readonly beside?: string;
  readonly read: (value: unknown) => unknown;
}

const INTEGER = /^\s*[+-]?\d{1,15}(\.0{1,15})?\s*$/;
const NUMBER = /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/;

const VALUE_FORMS: readonly ValueForm[] = [
  { type: 'boolean', read: readBoolean },
  { type: 'integer', read: (value) => readNumber(value, INTEGER) },
  { type: 'number', read: (value) => readNumber(value, NUMBER) },
  { type: 'object', read: (value) => readJson(value, isRecord) },
  { type: 'array', read: (value) => readJson(value, Array.isArray) },
  {
    type: 'string',
    beside: 'number',
    read: (value) => (Number.isFinite(value) ? String(value) : undefined),
  },
  {
    type: 'string',
    beside: 'integer',
    read: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  },
];

/** The value as one of the types, where it is written as such a value may be; undefined otherwise. */
export function readForm(value: unknown, types: ReadonlySet<string>, others: ReadonlySet<string>): unknown {
  for (const { type, beside, read } of VALUE_FORMS) {
    const isMeant = types.has(type) && (beside === undefined || others.has(beside));
    const found = isMeant ? read(value) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The words between commas, for a list of words; undefined for what is no text. */
export function readCommaList(value: unknown): string[] | undefined {
  if (typeof value !== 'string') return undefined;
  return value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function readBoolean(value: unknown): boolean | undefined {
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function readNumber(value: unknown, form: RegExp): number | undefined {
  return typeof value === 'string' && form.test(value) ? Number(value) : undefined;
}

function readJson(value: unknown, isMeant: (parsed: unknown) => boolean): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined;
  try {
    const parsed = parseJson(value);
    return isMeant(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}
