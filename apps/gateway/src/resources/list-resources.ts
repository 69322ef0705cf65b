import { listConnectedFiles, type Project, promptNames, rulesMarkdown } from '@baton/operations';
import { viewProject } from '@baton/runner';
import { type ListCursors, throwInvalidCursor } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { isoTime } from '../delegation/iso-time.ts';
import { taskResource, interactionResource } from './task-resources.ts';
import { fileContent } from './file-content.ts';
import {
  complexityChartResource,
  complexityReportResource,
  projectFileResource,
  projectFilesResource,
  projectRulesResource,
  projectsResource,
  projectStatusResource,
  projectTasksResource,
} from './project-resources.ts';
import { usageResource } from './usage-resource.ts';
import { promptResource, workflowResource } from './prompt-resources.ts';
import { agentResource } from './agent-resources.ts';
import { resourceEntry, type ResourceKind } from './resource-kind.ts';
import type { Variables } from './uri-template.ts';

/** A page ends after the project, or the store's page, that fills it, so it may be longer. */
const PAGE_SIZE = 50;

/** A page ends with the project whose reading passes this bound, the largest that a project may have. */
const MAX_EXAMINED = 12_500;

interface SectionPage {
  readonly resources: readonly Resource[];
  /** Where the next page of this section begins; undefined after its last. */
  readonly nextPosition?: string | undefined;
}

type Section = (call: AdmittedCall, from: string | undefined) => Promise<SectionPage>;

/**
 * What is there for this caller, section after section: the projects, its requests that wait, its tasks, the prompts, the workflows, the agents.
 * Of tasks within a project there may be thousands, of tags too: they are reached by the templates.
 * Errors: `invalid_arguments` for a cursor that Baton did not give out.
 */
export async function listResources(
  cursor: string | undefined,
  call: AdmittedCall,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const cursors = call.tenant.cursors.of('resources', call.identity);
  let { section, from } = parseCursor(cursors, cursor);
  const resources: Resource[] = [];
  while (resources.length < PAGE_SIZE) {
    const part = await SECTIONS[section]?.(call, from);
    if (part === undefined) return { resources };
    resources.push(...part.resources);
    from = part.nextPosition;
    if (from === undefined) section++;
  }
  if (section === SECTIONS.length) return { resources };
  return { resources, nextCursor: formatCursor(cursors, { section, from }) };
}

/** Projects by name; the position is the last name shown. */
const listProjects: Section = async (call, from) => {
  if (!call.identity.scopes.has('mcp')) return { resources: [] };
  // One more than fits, so that the last page is known to be the last.
  const names = await call.tenant.projects.names(from, PAGE_SIZE + 1);
  const resources: Resource[] =
    from === undefined ? [resourceEntry(projectsResource, {}), resourceEntry(usageResource, {})] : [];
  let examined = 0;
  for (const [at, name] of names.entries()) {
    const found = await viewProject(call.tenant, name, (project) =>
      project === undefined ? undefined : { listed: resourcesOf(name, project), size: sizeOf(project) },
    );
    resources.push(...(found?.listed ?? []));
    examined += found?.size ?? 0;
    const isFull = resources.length >= PAGE_SIZE || examined >= MAX_EXAMINED;
    if (isFull && at + 1 < names.length) return { resources, nextPosition: name };
  }
  return { resources };
};

/** What reading a project costs: its tasks, and a KiB of its files as one more. */
function sizeOf({ tags, files }: Project): number {
  let size = 0;
  for (const { tasks } of tags.values()) size += tasks.length;
  for (const { text } of files.values()) size += text.length / 1_024;
  return size;
}

function resourcesOf(name: string, project: Project): Resource[] {
  const variables = { project: name };
  const of = (kind: ResourceKind, more: Variables = {}, about: Parameters<typeof resourceEntry>[2] = {}) =>
    resourceEntry(
      kind,
      { ...variables, ...more },
      { name: `${name}/${kind.name}`, title: `${kind.title}: ${name}`, ...about },
    );
  const report = project.reports.get(project.currentTag);
  const lastModified = project.tags.get(project.currentTag)?.metadata.updated;
  const files = listConnectedFiles(project);
  return [
    of(projectStatusResource, {}, { lastModified }),
    of(projectTasksResource, {}, { lastModified }),
    ...(report === undefined
      ? []
      : [complexityReportResource, complexityChartResource].map((kind) =>
          of(kind, {}, { lastModified: report.meta.generatedAt }),
        )),
    ...(project.rules.length === 0
      ? []
      : [of(projectRulesResource, {}, { content: { body: { text: rulesMarkdown(project, name) } } })]),
    ...(files.length === 0 ? [] : [of(projectFilesResource)]),
    ...[...project.files].map(([file, content]) =>
      of(
        projectFileResource,
        { name: file },
        { name: `${name}/${file}`, title: file, content: fileContent(file, content) },
      ),
    ),
  ];
}

/** Requests that wait, oldest first. */
const listInteractions: Section = async ({ tenant, identity }, from) => {
  const page = await tenant.queries.pending.summaries(identity, { cursor: from });
  const resources = page.items.map(({ interactionId, operation, createdAt }) =>
    resourceEntry(
      interactionResource,
      { id: interactionId },
      {
        name: `${operation}/${interactionId}`,
        title: `Request of ${operation}`,
        lastModified: isoTime(createdAt),
      },
    ),
  );
  return { resources, nextPosition: page.nextCursor };
};

/** Tasks, newest first. */
const listTasks: Section = async ({ tenant, identity }, from) => {
  const page = await tenant.queries.tasks(identity, from);
  const resources = page.items.map(({ taskId, operation, updatedAt }) =>
    resourceEntry(
      taskResource,
      { taskId },
      { name: `${operation}/${taskId}`, title: `Task of ${operation}`, lastModified: isoTime(updatedAt) },
    ),
  );
  return { resources, nextPosition: page.nextCursor };
};

const listPrompts: Section = async (call) => ({
  resources: await Promise.all(
    promptNames.map(async (operation) => {
      const content = await promptResource.read({ operation }, call);
      return resourceEntry(promptResource, { operation }, { name: `prompts/${operation}`, content });
    }),
  ),
});

/** Workflows by name. */
const listWorkflows: Section = async ({ tenant, identity }, from) => {
  if (!identity.scopes.has('mcp')) return { resources: [] };
  const page = await tenant.workflows.page('workflowResources', from);
  const resources = page.items.map(({ name, storedAt }) =>
    resourceEntry(
      workflowResource,
      { name },
      { name: `workflows/${name}`, title: `Workflow: ${name}`, lastModified: storedAt },
    ),
  );
  return { resources, nextPosition: page.nextCursor };
};

/** Agents by id. */
const listAgents: Section = async ({ tenant, identity }, from) => {
  if (!identity.scopes.has('mcp')) return { resources: [] };
  const page = await tenant.agents.page('agentResources', from);
  const resources = page.items.map(({ name: id, storedAt }) =>
    resourceEntry(
      agentResource,
      { id },
      { name: `agents/${id}`, title: `Agent: ${id}`, lastModified: storedAt },
    ),
  );
  return { resources, nextPosition: page.nextCursor };
};

/** A cursor names its section by its place: a new section comes last. */
const SECTIONS: readonly Section[] = [
  listProjects,
  listInteractions,
  listTasks,
  listPrompts,
  listWorkflows,
  listAgents,
];

interface Position {
  readonly section: number;
  readonly from: string | undefined;
}

function formatCursor(cursors: ListCursors, { section, from }: Position): string {
  return cursors.seal(from === undefined ? `${section}` : `${section} ${from}`);
}

function parseCursor(cursors: ListCursors, cursor: string | undefined): Position {
  if (cursor === undefined) return { section: 0, from: undefined };
  const [, section, from] = /^(\d+)(?: (.*))?$/s.exec(cursors.open(cursor)) ?? [];
  // A later release may have given it out, and have more sections.
  if (SECTIONS[Number(section)] === undefined) throwInvalidCursor(cursor);
  return { section: Number(section), from };
}
