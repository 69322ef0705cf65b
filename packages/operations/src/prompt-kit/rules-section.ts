import type { Project } from '../project/index.ts';
import { delimitJsonLines } from './delimiters.ts';
import { excerpt } from './excerpt.ts';

const MOST_RULES = 6_000;

/** The project's rules as far as a request has room for them; undefined when there are none. */
export function rulesExcerpt(project: Pick<Project, 'rules'> | undefined): string | undefined {
  return excerpt(project?.rules.join('\n'), MOST_RULES);
}

/** The rules as a part of a request. They come from the project's owner, and yet they are data. */
export function rulesSection(rules: string | null | undefined): string | undefined {
  if (!rules) return undefined;
  return `The project keeps to these rules; let your answer keep to them too:\n${delimitJsonLines('project-rules', [rules])}`;
}
