import { listFiles, type Project, promptNames } from '@baton/operations';
import { BatonError } from '@baton/protocol';
import { readProject } from '@baton/runner';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { iso } from '../delegation/present.ts';
import { delegatedTask, interaction } from './delegation.ts';
import { fileContent } from './file-content.ts';
import {
  complexityReport,
  projectFile,
  projectFiles,
  projectRules,
  projects,
  projectStanding,
  projectTasks,
} from './projects.ts';
import { operationPrompts } from './prompts.ts';
import { listing, type ResourceKind, type Visit } from './resource.ts';
import type { Variables } from './uri-template.ts';

/** A page ends with the entries of whoever fills it, so it may be a little longer. */
const PAGE = 50;

interface Part {
  readonly resources: readonly Resource[];
  /** Where this section goes on, if it does. */
  readonly next?: string | undefined;
}

type Section = (visit: Visit, from: string | undefined) => Promise<Part>;

/**
 * What is there for this caller, section after section: the projects, its requests that wait, its tasks, the prompts.
 * Of tasks within a project there may be thousands, of tags too: they are reached by the templates.
 * Errors: `invalid_arguments` for a cursor that Baton did not give out.
 */
export async function listResources(
  cursor: string | undefined,
  visit: Visit,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  let { section, from } = parseCursor(cursor);
  const resources: Resource[] = [];
  while (resources.length < PAGE) {
    const part = await SECTIONS[section]?.(visit, from);
    if (part === undefined) return { resources };
    resources.push(...part.resources);
    from = part.next;
    if (from === undefined) section++;
  }
  if (section === SECTIONS.length) return { resources };
  return { resources, nextCursor: formatCursor({ section, from }) };
}

/** Projects by name; the position is the last name shown. */
const listProjects: Section = async (visit, from) => {
  const { call, identity } = visit;
  if (!identity.scopes.has('mcp')) return { resources: [] };
  const names = (await call.tenant.projects.names()).sort();
  const resources: Resource[] = from === undefined ? [listing(projects, {})] : [];
  for (const [at, name] of names.entries()) {
    if (from !== undefined && name <= from) continue;
    const project = await readProject(call.tenant, name);
    if (project !== undefined) resources.push(...(await resourcesOf(name, project, visit)));
    if (resources.length >= PAGE && at + 1 < names.length) return { resources, next: name };
  }
  return { resources };
};

async function resourcesOf(name: string, project: Project, visit: Visit): Promise<Resource[]> {
  const variables = { project: name };
  const of = (kind: ResourceKind, more: Variables = {}, about: Parameters<typeof listing>[2] = {}) =>
    listing(
      kind,
      { ...variables, ...more },
      { name: `${name}/${kind.name}`, title: `${kind.title}: ${name}`, ...about },
    );
  const report = project.reports.get(project.currentTag);
  const lastModified = project.tags.get(project.currentTag)?.metadata.updated;
  const files = listFiles(project);
  return [
    of(projectStanding, {}, { lastModified }),
    of(projectTasks, {}, { lastModified }),
    ...(report === undefined ? [] : [of(complexityReport, {}, { lastModified: report.meta.generatedAt })]),
    ...(project.rules.length === 0
      ? []
      : [of(projectRules, {}, { content: await projectRules.read(variables, visit) })]),
    ...(files.length === 0 ? [] : [of(projectFiles)]),
    ...[...project.files].map(([file, kept]) =>
      of(
        projectFile,
        { name: file },
        { name: `${name}/${file}`, title: file, content: fileContent(file, kept) },
      ),
    ),
  ];
}

/** Requests that wait, oldest first. */
const listInteractions: Section = async ({ call, identity }, from) => {
  const page = await call.tenant.listing.pending(identity, { cursor: from });
  const resources = page.items.map(({ interactionId, operation, createdAt }) =>
    listing(
      interaction,
      { id: interactionId },
      {
        name: `${operation}/${interactionId}`,
        title: `Request of ${operation}`,
        lastModified: iso(createdAt),
      },
    ),
  );
  return { resources, next: page.nextCursor };
};

/** Tasks, newest first. */
const listTasks: Section = async ({ call, identity }, from) => {
  const page = await call.tenant.listing.tasks(identity, from);
  const resources = page.items.map(({ taskId, operation, updatedAt }) =>
    listing(
      delegatedTask,
      { taskId },
      { name: `${operation}/${taskId}`, title: `Task of ${operation}`, lastModified: iso(updatedAt) },
    ),
  );
  return { resources, next: page.nextCursor };
};

const listPrompts: Section = async (visit) => ({
  resources: await Promise.all(
    promptNames.map(async (operation) => {
      const content = await operationPrompts.read({ operation }, visit);
      return listing(operationPrompts, { operation }, { name: `prompts/${operation}`, content });
    }),
  ),
});

/** A cursor names its section by its place: a new section comes last. */
const SECTIONS: readonly Section[] = [listProjects, listInteractions, listTasks, listPrompts];

interface Position {
  readonly section: number;
  readonly from: string | undefined;
}

function formatCursor({ section, from }: Position): string {
  return Buffer.from(JSON.stringify([section, from])).toString('base64url');
}

function parseCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return { section: 0, from: undefined };
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [section, from] = Array.isArray(position) ? (position as unknown[]) : [];
    const known = Number.isInteger(section) && SECTIONS[Number(section)] !== undefined;
    if (known && (from === null || typeof from === 'string'))
      return { section: Number(section), from: from ?? undefined };
  } catch {
    // Falls through: whatever it was, it is not a cursor of ours.
  }
  throw new BatonError(
    'invalid_arguments',
    `cursor: '${cursor.slice(0, 40)}' is not one that Baton gave out. Leave it out to start from the beginning.`,
    { field: 'cursor' },
  );
}
