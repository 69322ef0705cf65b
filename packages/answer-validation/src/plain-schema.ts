import { isRecord, type Json, type JsonObject } from '@baton/protocol';

/** Parts of a schema and of a value that are looked at in all: the event loop is held no longer than for those. */
const MAX_STEPS = 500;
/** What a schema may say besides: texts that no value is held against. */
const TEXTS = new Set(['title', 'description']);

/**
 * True where a value certainly fits a schema that says no more than types, properties, items and enumerations, as most tools'
 * do: then no thread has to check it. False says nothing: the schema may say more, or be of no use, or the value may not fit,
 * and whoever checks it then finds the words for that.
 */
export function fitsPlainSchema(schema: JsonObject, value: Json): boolean {
  return new PlainCheck().fits(schema, value);
}

class PlainCheck {
  private steps = 0;

  fits(schema: unknown, value: unknown): boolean {
    if (!isRecord(schema) || ++this.steps > MAX_STEPS) return false;
    const { type, enum: values, properties, required, additionalProperties, items, ...more } = schema;
    for (const [keyword, said] of Object.entries(more))
      if (!TEXTS.has(keyword) || typeof said !== 'string') return false;
    if (values !== undefined && !this.isOneOf(values, value)) return false;
    if (type === 'object')
      return items === undefined && this.fitsObject(properties, required, additionalProperties, value);
    if (properties !== undefined || required !== undefined || additionalProperties !== undefined)
      return false;
    if (type === 'array') return this.fitsArray(items, value);
    return items === undefined && isOfType(type, value);
  }

  private fitsObject(properties: unknown, required: unknown, additional: unknown, value: unknown): boolean {
    if (!isRecord(value) || !(properties === undefined || isRecord(properties))) return false;
    if (!(additional === undefined || typeof additional === 'boolean')) return false;
    const isKnown = (name: string) => properties !== undefined && Object.hasOwn(properties, name);
    if (!this.hasAll(required, value)) return false;
    for (const name of Object.keys(value)) {
      if (++this.steps > MAX_STEPS || name === '__proto__') return false;
      if (isKnown(name) ? !this.fits(properties?.[name], value[name]) : additional === false) return false;
    }
    // A property that the value lacks may make the schema unusable.
    for (const name of Object.keys(properties ?? {}))
      if (!Object.hasOwn(value, name) && !this.isPlain(properties?.[name])) return false;
    return true;
  }

  private hasAll(required: unknown, value: object): boolean {
    if (required === undefined) return true;
    if (!Array.isArray(required) || new Set(required).size < required.length) return false;
    this.steps += required.length;
    return required.every((name) => typeof name === 'string' && Object.hasOwn(value, name));
  }

  private fitsArray(items: unknown, value: unknown): boolean {
    if (!Array.isArray(value)) return false;
    if (items === undefined) return true;
    return value.length === 0 ? this.isPlain(items) : value.every((one) => this.fits(items, one));
  }

  private isOneOf(values: unknown, value: unknown): boolean {
    if (!Array.isArray(values) || values.length === 0) return false;
    this.steps += values.length;
    return this.steps <= MAX_STEPS && typeof value !== 'object' && values.includes(value);
  }

  /** A leaf that says a type: what is larger is left to a thread. */
  private isPlain(schema: unknown): boolean {
    if (!isRecord(schema) || ++this.steps > MAX_STEPS) return false;
    return Object.entries(schema).every(
      ([keyword, said]) =>
        (keyword === 'type' && (TYPES as readonly unknown[]).includes(said)) ||
        (TEXTS.has(keyword) && typeof said === 'string'),
    );
  }
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case undefined:
      return true;
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return false;
  }
}
