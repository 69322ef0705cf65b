import { delegatedTask, interaction } from './delegation.ts';
import {
  complexityReport,
  projectFile,
  projectFiles,
  projectRules,
  projects,
  projectStanding,
  projectTask,
  projectTasks,
} from './projects.ts';
import { operationPrompts } from './prompts.ts';
import type { ResourceKind } from './resource.ts';

/** Every kind of resource, in the order in which their templates are listed. A new kind is one more entry. */
export const resourceKinds: readonly ResourceKind[] = [
  projects,
  projectStanding,
  projectTasks,
  projectTask,
  complexityReport,
  projectRules,
  projectFiles,
  projectFile,
  delegatedTask,
  interaction,
  operationPrompts,
];

/** The kinds that have variables, as `resources/templates/list` shows them. */
export const resourceTemplates = resourceKinds
  .filter(({ template }) => template.variables.length > 0)
  .map(({ template, name, title, description, mimeType, annotations }) => ({
    uriTemplate: template.text,
    name,
    title,
    description,
    ...(mimeType === undefined ? {} : { mimeType }),
    annotations,
  }));
