/** A template at the beginning of a value, which YAML reads as a mapping in a mapping. */
const UNQUOTED_TEMPLATE = /(?:[:,[]|^[ \t]*-)[ \t]*(\{\{[^{}\n]{1,100}\}\})/m;

/** How readers of YAML begin what they say of a text with more than one document. */
const SEVERAL_DOCUMENTS = /^(?:expected a single document|Source contains multiple documents)/;

/** What is wrong with a text of YAML, in the words of who wrote it; `reason` is what its reader says, and what is said where nothing better is known. */
export function describeYamlFault(text: string, reason: string): string {
  if (SEVERAL_DOCUMENTS.test(reason)) return "it holds several documents, divided by '---'; give one";
  const template = UNQUOTED_TEMPLATE.exec(text)?.[1];
  return template === undefined ? reason : `put templates in quotes: '${template}' (${reason})`;
}
