import type { JsonObject } from '@baton/protocol';

/** What lists show of a definition (include/definitions.lua). */
export interface DefinitionEntry {
  readonly name: string;
  readonly version: number;
  readonly enabled: boolean;
  /** As it was put; empty where it was put without. */
  readonly summary: JsonObject;
}

/** Parses `<version>`, or `<version>;<enabled: 0 or 1>;<summary>`. */
export function parseEntry(name: string, text: string): DefinitionEntry {
  const [, version = '0', enabled, summary = '{}'] = /^(\d+)(?:;([01]);(.*))?$/s.exec(text) ?? [];
  return {
    name,
    version: Number(version),
    enabled: enabled !== '0',
    summary: JSON.parse(summary) as JsonObject,
  };
}

/** A stored version of a definition. */
export interface StoredDefinition {
  readonly name: string;
  readonly version: number;
  /** ISO 8601. */
  readonly storedAt: string;
  /** The principal who stored it. */
  readonly storedBy: string;
  readonly definition: JsonObject;
}
