import type { JsonObject } from '@baton/protocol';
import { LRUCache } from 'lru-cache';
import { type HostObjectSchema, toHostSchema } from '../tool-listing/host-schema.ts';

/** Listed forms that a process keeps, each of one schema, whoever's it is. */
const MAX_KEPT = 1_024;
/** Characters of JSON of a listed form: twice those of the longest schema. References may make it a multiple of that. */
const MAX_LENGTH = 8_192;
/** Levels that are listed of a form that would be longer; then none. */
const SHALLOWER = [3, 2, 1, 0];

const known = new LRUCache<string, HostObjectSchema>({ max: MAX_KEPT });

/** The parameters of a specialist as its tool is listed: as many levels of them as have room. Made once of each schema. */
export function listedParameters(parameters: JsonObject): HostObjectSchema {
  const key = JSON.stringify(parameters);
  const made = known.get(key) ?? withinLength(parameters);
  known.set(key, made);
  return made;
}

function withinLength(parameters: JsonObject): HostObjectSchema {
  for (const depth of [undefined, ...SHALLOWER]) {
    const made = toHostSchema(parameters, depth);
    if (JSON.stringify(made).length <= MAX_LENGTH) return made;
  }
  return { type: 'object' };
}
