import { z } from 'zod';

/**
 * Schemas that accept the spellings of callers and models: numbers as digits, booleans as words, null for absent. Any
 * other value goes to the inner schema unchanged, so that an error shows the value that was sent.
 */

/** A whole number, or its decimal digits as a string. */
export function integerOrDigits<T extends z.ZodType>(inner: T) {
  return z.preprocess(parseDigits, inner).meta({ type: ['integer', 'string'] });
}

/** A boolean, or "true" / "false". */
export function booleanOrText(description: string) {
  return z
    .preprocess(parseBoolean, z.boolean())
    .meta({ type: ['boolean', 'string'] })
    .describe(description)
    .optional();
}

/** `null` means the same as leaving the field out: models fill in every field that a schema names. */
export function nullAsAbsent<T extends z.ZodType>(inner: T) {
  return z.preprocess((value) => value ?? undefined, inner.optional()).optional();
}

export function parseDigits(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
}

function parseBoolean(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/** An object that holds one list under `name`; a bare list, which some models give, is read as one. */
export function objectOrBareList<T extends z.ZodType>(name: string, inner: T) {
  return z.preprocess((value) => (Array.isArray(value) ? { [name]: value } : value), inner);
}
