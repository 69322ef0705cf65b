/** Names that objects have of themselves, and that bodies may not have as fields: no name of a definition is one of them. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
