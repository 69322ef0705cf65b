/**
 * Delimiters around data in a prompt. Nothing in the data can close its delimiter, so that a sentence of a document or a task
 * is never taken for an instruction.
 */

/**
 * A document between tags of a name that it does not hold. The smallest free number in one pass: trying names one
 * after the other would let a hostile document make this slow.
 */
export function delimitText(name: string, text: string): { delimiter: string; block: string } {
  const taken = new Set(
    [...text.matchAll(new RegExp(`${name}-(\\d{1,9})`, 'gi'))].map(([, number]) => Number(number)),
  );
  let number = 1;
  while (taken.has(number)) number++;
  const delimiter = `${name}-${number}`;
  return { delimiter, block: `<${delimiter}>\n${text}\n</${delimiter}>` };
}

/** Values as JSON, one per line. With `<` escaped no text in them can close the tag. */
export function delimitJsonLines(name: string, values: readonly unknown[]): string {
  const lines = values.map((value) => JSON.stringify(value).replaceAll('<', '\\u003c'));
  return `<${name}>\n${lines.join('\n')}\n</${name}>`;
}
