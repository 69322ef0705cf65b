import type { DefinitionProblem } from '@baton/protocol';
import { parseTemplate, TemplateError, type TemplatePart } from '../templates/parse-template.ts';
import type { Workflow } from './workflow.ts';
import type { FindUriProblem } from './workflow-tool.ts';

/** A character that no URI has. */
const UNKNOWN = '\u0000';

/** What is wrong with the URIs of a workflow's resources, as far as their constant parts say; a URI that is one reference may be any. */
export function findUriProblems({ steps }: Workflow, findUriProblem: FindUriProblem): DefinitionProblem[] {
  return steps.flatMap(({ name: step, resources }, index) =>
    resources.flatMap((template, at): DefinitionProblem[] => {
      const parts = partsOf(template);
      if (parts.every((part) => typeof part !== 'string')) return [];
      const uri = parts.map((part) => (typeof part === 'string' ? part : UNKNOWN)).join('');
      const problem = findUriProblem(uri, UNKNOWN);
      return problem === undefined ? [] : [{ step, field: `steps.${index}.resources.${at}`, problem }];
    }),
  );
}

/** None of a template that cannot be read, of which its references tell. */
function partsOf(template: string): TemplatePart[] {
  try {
    return parseTemplate(template);
  } catch (thrown) {
    if (thrown instanceof TemplateError) return [];
    throw thrown;
  }
}
