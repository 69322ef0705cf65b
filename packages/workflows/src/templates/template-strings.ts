import type { Json } from '@baton/protocol';
import { parseTemplate, type Reference } from './parse-template.ts';

/** The references of a template, in all strings within it. Errors: TemplateError. */
export function referencesIn(template: Json): Reference[] {
  return stringsIn(template).flatMap((text) =>
    parseTemplate(text).filter((part) => typeof part !== 'string'),
  );
}

/** Every string within a JSON value; the names of fields are no templates. */
function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(stringsIn);
}
