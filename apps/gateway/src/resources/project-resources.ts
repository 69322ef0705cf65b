import {
  attachmentsOf,
  readComplexityReport,
  getOneTask,
  getTasks,
  itemAt,
  listConnectedFiles,
  type Project,
  projectStatus,
  renderComplexityChart,
  requireAttachment,
  requireConnectedFile,
  requireProject,
  requireTag,
  resolveTag,
  rulesMarkdown,
  withoutTrailingSlashes,
} from '@baton/operations';
import { BatonError } from '@baton/protocol';
import { viewProject } from '@baton/runner';
import {
  type Completion,
  type Content,
  defineResource,
  jsonBody,
  type ResourceKind,
} from './resource-kind.ts';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import { attachmentContent, fileContent } from './file-content.ts';
import type { Variables } from './uri-template.ts';

/** What a project's views take. */
interface ProjectViewArguments {
  readonly projectRoot: string;
  readonly tag?: string;
}

const JSON_TYPE = 'application/json';

/** The fields that hold tags and their tasks. */
const TASKS = ['meta', 'tag', 'updated', 'task'];

/** Completes from the first page of projects: later ones are not offered. */
const projectNames: Completion = async (_given, call) => {
  const { items, nextCursor } = await call.tenant.projects.page();
  return { values: items, partial: nextCursor !== undefined };
};

/** Completes from the project that the client has named already; without one there is nothing to offer. */
const completeFromProject =
  (values: (project: Project, given: Variables) => readonly string[]): Completion =>
  async (given, call) => {
    if (given['project'] === undefined) return { values: [] };
    return viewProject(call.tenant, projectKeyOf(given), (project) => ({
      values: project === undefined ? [] : values(project, given),
    }));
  };

const tags = completeFromProject(({ tags }) => [...tags.keys()]);
const fileNames = completeFromProject(({ files }) => [...files.keys()]);
const taskIds = completeFromProject((project, { tag }) =>
  (project.tags.get(resolveTag(project, tag))?.tasks ?? []).flatMap(({ id, subtasks }) => [
    String(id),
    ...subtasks.map((subtask) => `${id}.${subtask.id}`),
  ]),
);

const attachmentNumbers = completeFromProject((project, { tag, id = '' }) => {
  const item = itemAt(project, resolveTag(project, tag), id);
  return item === undefined ? [] : attachmentsOf(item).map(({ n }) => `${n}`);
});

/** The key as tools take it: a directory's name may end with slashes. */
const projectKeyOf = ({ project = '' }: Variables) => withoutTrailingSlashes(project);

function defineProjectResource(
  spec: Pick<ResourceKind, 'name' | 'title' | 'description' | 'mimeType'> & {
    path: string;
    priority: number;
    /** The kinds of the project's fields that show in it (see the operations' project record). */
    shows: readonly string[];
  },
  completions: ResourceKind['completions'],
  show: (project: Project | undefined, of: ProjectViewArguments, variables: Variables) => Content,
): ResourceKind {
  const { path, priority, shows, ...text } = spec;
  return defineResource({
    ...text,
    template: `baton://projects/{project}/${path}`,
    annotations: { audience: ['user', 'assistant'], priority },
    access: edgeAdmittedAccess(MCP_SCOPE),
    completions: { project: projectNames, ...completions },
    topic: (variables) => `project ${projectKeyOf(variables)}`,
    mayChangeWith: (change) => change.kind === 'project' && shows.some((field) => change.fields.has(field)),
    read: async (variables, call) => {
      const projectRoot = projectKeyOf(variables);
      const { tag } = variables;
      const of = { projectRoot, ...(tag === undefined ? {} : { tag }) };
      return viewProject(call.tenant, projectRoot, (project) => show(project, of, variables));
    },
  });
}

export const projectsResource = defineResource({
  template: 'baton://projects{?cursor}',
  name: 'projects',
  title: 'Projects',
  description:
    'The keys of the projects, 1,000 a page, and where each is read; `more` and `nextCursor` where there is another page.',
  mimeType: JSON_TYPE,
  annotations: { audience: ['user', 'assistant'], priority: 0.5 },
  access: edgeAdmittedAccess(MCP_SCOPE),
  completions: {},
  topic: () => 'projects',
  mayChangeWith: () => true,
  read: async ({ cursor }, call) => {
    const { items, nextCursor } = await call.tenant.projects.page(cursor);
    const uses = await call.tenant.projects.uses(items);
    const shown = uses.map(({ name: project, lastUsedAt }) => ({
      projectRoot: project,
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
      status: projectStatusResource.template.expand({ project }),
      tasks: projectTasksResource.template.expand({ project }),
    }));
    const more = nextCursor === undefined ? {} : { more: true, nextCursor };
    return { body: jsonBody({ projects: shown, ...more }) };
  },
});

export const projectTasksResource = defineProjectResource(
  {
    path: 'tasks{?tag}',
    name: 'tasks',
    title: 'Tasks of a project',
    description:
      'The tasks of a tag with their subtasks, without details, and how far they are. Of a long list it is the first page: get_tasks has those behind nextAfter.',
    mimeType: JSON_TYPE,
    priority: 0.9,
    shows: TASKS,
  },
  { tag: tags },
  (project, of) => ({
    body: jsonBody(getTasks(project, { ...of, withSubtasks: true })),
    ...lastChangeOfTag(project, of),
  }),
);

export const projectTaskResource = defineProjectResource(
  {
    path: 'tasks/{id}{?tag}',
    name: 'task',
    title: 'A task of a project',
    description: 'One task ("5") or one subtask ("5.2") with all that is known of it.',
    mimeType: JSON_TYPE,
    priority: 0.8,
    shows: TASKS,
  },
  { tag: tags, id: taskIds },
  (project, of, { id = '' }) => {
    const task = getOneTask(project, { ...of, id });
    return { body: jsonBody({ task }), title: `${task.id}. ${task.title}`, ...lastChangeOfTag(project, of) };
  },
);

export const attachmentResource = defineProjectResource(
  {
    path: 'tasks/{id}/attachments/{n}{?tag}',
    name: 'attachment',
    title: 'An attachment of a task',
    description:
      'What is attached to a task ("5") or subtask ("5.2") under a number: its bytes, its text, or the link.',
    priority: 0.5,
    shows: TASKS,
  },
  { tag: tags, id: taskIds, n: attachmentNumbers },
  (project, of, { id = '', n = '' }) => {
    const existing = requireProject(project, of.projectRoot);
    const tag = resolveTag(existing, of.tag);
    requireTag(existing, tag);
    const item = itemAt(existing, tag, id);
    if (item === undefined)
      throw new BatonError('project_task_not_found', `Tag '${tag}' has no ${id}.`, { id, tag });
    return attachmentContent(requireAttachment(item, id, n));
  },
);

export const complexityReportResource = defineProjectResource(
  {
    path: 'complexity-report{?tag}',
    name: 'complexity-report',
    title: 'Complexity report of a project',
    description: 'What analyze_project_complexity found of a tag, in the form of claude-task-master.',
    mimeType: JSON_TYPE,
    priority: 0.5,
    shows: ['meta', 'report'],
  },
  { tag: tags },
  (project, of) => {
    const { report } = requireComplexityReport(project, of);
    return { body: jsonBody(report), lastModified: report.meta.generatedAt };
  },
);

export const complexityChartResource = defineProjectResource(
  {
    path: 'complexity-report/chart{?tag}',
    name: 'complexity-chart',
    title: 'Complexity report of a project as a chart',
    description: 'The most complex tasks of the report, a bar each, as a picture.',
    mimeType: 'image/svg+xml',
    priority: 0.3,
    shows: ['meta', 'report'],
  },
  { tag: tags },
  (project, of) => {
    const { report, tag } = requireComplexityReport(project, of);
    return { body: { text: renderComplexityChart(report, tag) }, lastModified: report.meta.generatedAt };
  },
);

export const projectRulesResource = defineProjectResource(
  {
    path: 'rules',
    name: 'rules',
    title: 'Rules of a project',
    description: 'What all work on the project keeps to, as Markdown.',
    mimeType: 'text/markdown',
    priority: 0.8,
    shows: ['about', 'rules'],
  },
  {},
  (project, { projectRoot }) => ({ body: { text: rulesMarkdown(project, projectRoot) } }),
);

export const projectStatusResource = defineProjectResource(
  {
    path: 'status{?tag}',
    name: 'status',
    title: 'How a project stands',
    description: 'What the project is about, its tags, how far one of them is, and what comes next.',
    mimeType: JSON_TYPE,
    priority: 1,
    shows: [...TASKS, 'about', 'rules', 'file'],
  },
  { tag: tags },
  (project, of) => ({ body: jsonBody(projectStatus(project, of)), ...lastChangeOfTag(project, of) }),
);

export const projectFilesResource = defineProjectResource(
  {
    path: 'files',
    name: 'files',
    title: 'Files of a project',
    description: 'The files that are connected with the project, and where each is read.',
    mimeType: JSON_TYPE,
    priority: 0.4,
    shows: ['file'],
  },
  {},
  (project, { projectRoot }) => {
    const files = listConnectedFiles(requireProject(project, projectRoot)).map((file) => ({
      ...file,
      uri: projectFileResource.template.expand({ project: projectRoot, name: file.name }),
    }));
    const lastModified = files
      .map(({ updated }) => updated)
      .sort()
      .at(-1);
    return { body: jsonBody({ projectRoot, files }), lastModified };
  },
);

export const projectFileResource = defineProjectResource(
  {
    path: 'files/{name}',
    name: 'file',
    title: 'A file of a project',
    description: 'A file that is connected with the project: its text, or its bytes.',
    priority: 0.6,
    shows: ['file'],
  },
  { name: fileNames },
  (project, { projectRoot }, { name = '' }) =>
    fileContent(name, requireConnectedFile(requireProject(project, projectRoot), name)),
);

/** A report that was never made is no resource, as a file that was never connected is none. */
function requireComplexityReport(project: Project | undefined, of: ProjectViewArguments) {
  const { report, tag, message } = readComplexityReport(project, of);
  if (report === null) throw new BatonError('file_not_found', message, { file: 'complexity-report' });
  return { report, tag };
}

/** When the tag was last changed. */
function lastChangeOfTag(
  project: Project | undefined,
  { projectRoot, tag }: ProjectViewArguments,
): Pick<Content, 'lastModified'> {
  const existing = requireProject(project, projectRoot);
  return { lastModified: requireTag(existing, resolveTag(existing, tag)).metadata.updated };
}
