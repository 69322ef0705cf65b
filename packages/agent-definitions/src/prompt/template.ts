import { BatonError } from '@baton/protocol';

/** Characters of a template that was filled in: a value may stand in it thousands of times. */
const MAX_FILLED_LENGTH = 1_048_576;

/** `{{word}}` stands for the text `{word}`, `{word}` for the value of that name; every other brace is itself. */
const PLACEHOLDER = /\{\{([A-Za-z_]\w{0,63})\}\}|\{([A-Za-z_]\w{0,63})\}/g;

/** The names in a template, each once, in their order. */
export function namesIn(template: string): string[] {
  const names = [...template.matchAll(PLACEHOLDER)].flatMap(([, _escaped, name]) => name ?? []);
  return [...new Set(names)];
}

/** The names in double braces, which stand for texts, each once, in their order. */
export function escapedNamesIn(template: string): string[] {
  const names = [...template.matchAll(PLACEHOLDER)].flatMap(([, escaped]) => escaped ?? []);
  return [...new Set(names)];
}

/**
 * Fills a template in; a name without a value stands for nothing. Values are never read as templates.
 * Errors: `invalid_arguments` where the text would be longer than a request may be.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  let { length } = template;
  return template.replace(PLACEHOLDER, (_whole, escaped: string | undefined, name = '') => {
    if (escaped !== undefined) return `{${escaped}}`;
    const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
    length += value.length;
    if (length > MAX_FILLED_LENGTH) throw tooLong();
    return value;
  });
}

function tooLong(): BatonError {
  const message = `arguments: with them the prompt is longer than ${MAX_FILLED_LENGTH} characters`;
  return new BatonError('invalid_arguments', message, { field: 'arguments' });
}
