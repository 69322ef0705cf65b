/**
 * Fences around data in a prompt. Nothing in the data can close its fence, so that a sentence of a document or a task
 * is never taken for an instruction.
 */

/**
 * A document between fences of a name that it does not hold. The smallest free number in one pass: trying names one
 * after the other would let a hostile document make this slow.
 */
export function delimitText(name: string, text: string): { fence: string; block: string } {
  const taken = new Set(
    [...text.matchAll(new RegExp(`${name}-(\\d{1,9})`, 'gi'))].map(([, number]) => Number(number)),
  );
  let number = 1;
  while (taken.has(number)) number++;
  const fence = `${name}-${number}`;
  return { fence, block: `<${fence}>\n${text}\n</${fence}>` };
}

/** Values as JSON, one per line. With `<` escaped no text in them can close the fence. */
export function delimitJsonLines(name: string, values: readonly unknown[]): string {
  const lines = values.map((value) => JSON.stringify(value).replaceAll('<', '\\u003c'));
  return `<${name}>\n${lines.join('\n')}\n</${name}>`;
}
