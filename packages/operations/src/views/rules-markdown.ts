import { type Project, requireProject } from '../project/index.ts';

/** A project's rules as Markdown: single lines as a list, longer pieces as they stand. */
export function rulesMarkdown(project: Project | undefined, projectRoot: string): string {
  const { rules, about } = requireProject(project, projectRoot);
  const pieces = rules.map((rule) => (/^[-*#>]|\n/.test(rule) ? rule : `- ${rule}`));
  return [`# Rules of ${about.name ?? projectRoot}`, ...pieces, ''].join('\n\n');
}
