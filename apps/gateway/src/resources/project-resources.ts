import {
  readComplexityReport,
  getTask,
  getTasks,
  listConnectedFiles,
  type Project,
  projectStatus,
  requireConnectedFile,
  requireProject,
  requireTag,
  resolveTag,
  rulesMarkdown,
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
import { fileContent } from './file-content.ts';
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
    const { project: name } = given;
    if (name === undefined) return { values: [] };
    return viewProject(call.tenant, name, (project) => ({
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
    topic: ({ project = '' }) => `project ${project}`,
    mayChangeWith: (change) => change.kind === 'project' && shows.some((field) => change.fields.has(field)),
    read: async (variables, call) => {
      const { project: projectRoot = '', tag } = variables;
      const of = { projectRoot, ...(tag === undefined ? {} : { tag }) };
      return viewProject(call.tenant, projectRoot, (project) => show(project, of, variables));
    },
  });
}

export const projectsResource = defineResource({
  template: 'baton://projects',
  name: 'projects',
  title: 'Projects',
  description:
    'The keys of the projects, and where each is read; `more` where there are others than the first 1,000.',
  mimeType: JSON_TYPE,
  annotations: { audience: ['user', 'assistant'], priority: 0.5 },
  access: edgeAdmittedAccess(MCP_SCOPE),
  completions: {},
  topic: () => 'projects',
  mayChangeWith: () => true,
  read: async (_variables, call) => {
    const { items, nextCursor } = await call.tenant.projects.page();
    const uses = await call.tenant.projects.uses(items);
    const shown = uses.map(({ name: project, lastUsedAt }) => ({
      projectRoot: project,
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
      status: projectStatusResource.template.expand({ project }),
      tasks: projectTasksResource.template.expand({ project }),
    }));
    const more = nextCursor === undefined ? {} : { more: true };
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
    const { task } = getTask(project, { ...of, id });
    return { body: jsonBody({ task }), title: `${task.id}. ${task.title}`, ...lastChangeOfTag(project, of) };
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
    const { report, message } = readComplexityReport(project, of);
    // A report that was never made is no resource, as a file that was never connected is none.
    if (report === null) throw new BatonError('file_not_found', message, { file: 'complexity-report' });
    return { body: jsonBody(report), lastModified: report.meta.generatedAt };
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

/** When the tag was last changed. */
function lastChangeOfTag(
  project: Project | undefined,
  { projectRoot, tag }: ProjectViewArguments,
): Pick<Content, 'lastModified'> {
  const existing = requireProject(project, projectRoot);
  return { lastModified: requireTag(existing, resolveTag(existing, tag)).metadata.updated };
}
