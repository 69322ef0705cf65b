/** `{{word}}` stands for the text `{word}`, `{word}` for the value of that name; every other brace is itself. */
const PLACEHOLDER = /\{\{([A-Za-z_]\w{0,63})\}\}|\{([A-Za-z_]\w{0,63})\}/g;

/** The names in a template, each once, in their order. */
export function namesIn(template: string): string[] {
  const names = [...template.matchAll(PLACEHOLDER)].flatMap(([, _escaped, name]) => name ?? []);
  return [...new Set(names)];
}

/** Fills a template in; a name without a value stands for nothing. Values are never read as templates. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (_whole, escaped: string | undefined, name = '') => {
    if (escaped !== undefined) return `{${escaped}}`;
    return Object.hasOwn(values, name) ? (values[name] ?? '') : '';
  });
}
