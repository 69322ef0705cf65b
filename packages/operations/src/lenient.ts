import { z } from 'zod';

/**
 * Values as callers and models really write them: numbers as numeric strings, booleans as words, null for absent.
 * Each reads a spelling and leaves anything else to the inner schema, so that what is refused is refused with the
 * value that was sent and no spelling is ever guessed at.
 */

/** A whole number, or its decimal digits as a string. */
export function wholeNumber<T extends z.ZodType>(inner: T) {
  return z.preprocess(readDigits, inner).meta({ type: ['integer', 'string'] });
}

/** A boolean, or "true" / "false". */
export function flag(description: string) {
  return z
    .preprocess(readFlag, z.boolean())
    .meta({ type: ['boolean', 'string'] })
    .describe(description)
    .optional();
}

/** `null` means the same as leaving the field out: models fill in every field that a schema names. */
export function orAbsent<T extends z.ZodType>(inner: T) {
  return z.preprocess((value) => value ?? undefined, inner.optional()).optional();
}

export function readDigits(value: unknown): unknown {
  return typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
}

function readFlag(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/** An object that holds one list under `name`; a bare list, which some models give, is read as one. */
export function listUnder<T extends z.ZodType>(name: string, inner: T) {
  return z.preprocess((value) => (Array.isArray(value) ? { [name]: value } : value), inner);
}
