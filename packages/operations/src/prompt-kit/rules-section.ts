import { delimitJsonLines } from './delimiters.ts';

/** The rules as a part of a request. They come from the project's owner, and yet they are data. */
export function rulesSection(rules: string | null | undefined): string | undefined {
  if (!rules) return undefined;
  return `The project keeps to these rules; let your answer keep to them too:\n${delimitJsonLines('project-rules', [rules])}`;
}
