/** Names that objects have of themselves: no name of a definition and no field of a template may be one of them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
