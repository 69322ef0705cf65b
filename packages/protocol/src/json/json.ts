/** JSON as values: what may stand in an answer, an input or a journal. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Levels of objects and lists in what arrives. */
export const MAX_JSON_DEPTH = 64;
/** Of what one caller stores and others are shown, so that replies, which wrap it, stay within MAX_JSON_DEPTH. */
export const MAX_STORED_JSON_DEPTH = 56;

/**
 * The same text for the same value, whatever the order of its keys (RFC 8785). The value is JSON's; fields that are
 * undefined are left out. Two answers are the same when their canonical texts are.
 */
export function canonicalJson(value: unknown): string {
  // What answers consist of comes first: an answer may hold 100,000 values.
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const inner of value) text += text === '' ? canonicalJson(inner) : `,${canonicalJson(inner)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The path of the first text or key of a JSON value that holds a lone surrogate, half of a character: strict parsers refuse the JSON around it. Undefined without one. */
export function loneSurrogatePath(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = key.isWellFormed() ? loneSurrogatePath(inner) : [];
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** Whether a JSON value has more fields and elements in it than `most`, at any depth. Stops counting there. */
export function exceedsValueCount(most: number, value: unknown): boolean {
  let found = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    found += inner.length;
    if (found > most) return true;
    for (const one of inner) if (typeof one === 'object' && one !== null) open.push(one);
  }
  return false;
}

/** Whether a JSON value nests more levels of objects and lists than `most`. Looks no deeper than that. */
export function exceedsDepth(most: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some((one) => exceedsDepth(most - 1, one));
}
