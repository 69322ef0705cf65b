import { taskResource, interactionResource } from './task-resources.ts';
import {
  attachmentResource,
  complexityChartResource,
  complexityReportResource,
  projectFileResource,
  projectFilesResource,
  projectRulesResource,
  projectsResource,
  projectStatusResource,
  projectTaskResource,
  projectTasksResource,
} from './project-resources.ts';
import { usageResource } from './usage-resource.ts';
import { agentResource } from './agent-resources.ts';
import { promptResource, workflowResource } from './prompt-resources.ts';
import type { ResourceKind } from './resource-kind.ts';

/** Every kind of resource, in the order in which their templates are listed. A new kind is one more entry. */
export const resourceKinds: readonly ResourceKind[] = [
  projectsResource,
  projectStatusResource,
  projectTasksResource,
  projectTaskResource,
  attachmentResource,
  complexityReportResource,
  complexityChartResource,
  projectRulesResource,
  projectFilesResource,
  projectFileResource,
  taskResource,
  interactionResource,
  promptResource,
  usageResource,
  workflowResource,
  agentResource,
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
