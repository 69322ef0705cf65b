import { z } from 'zod';

/**
 * Schemas whose values callers and models spell otherwise. A list of types says first what a value is, then how it may be written: the
 * gateway reads arguments by it before they are parsed.
 */

/** A whole number, or its decimal digits as a string. */
export function integerOrDigits<T extends z.ZodType>(inner: T) {
  return inner.meta({ type: ['integer', 'string'] });
}

/** A boolean, or "true" / "false". */
export function booleanOrText(description: string) {
  return z
    .boolean()
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

/** An object that holds one list under `name`; a bare list, which some models give, is read as one. */
export function objectOrBareList<T extends z.ZodType>(name: string, inner: T) {
  return z.preprocess((value) => (Array.isArray(value) ? { [name]: value } : value), inner);
}
