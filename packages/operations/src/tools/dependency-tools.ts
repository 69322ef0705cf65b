import { z } from 'zod';
import { idTextSchema, projectRoot, tag } from '../definition/shared-arguments.ts';
import { findDependencyIssues, openTag } from '../project/index.ts';
import {
  defineChangeTool,
  pluralize,
  DESTRUCTIVE_HINTS,
  IDEMPOTENT_WRITE_HINTS,
  defineViewTool,
} from './project-tool.ts';

/** Tools around who waits for whom. */

const inPlace = { projectRoot: z.string(), tag: z.string() };
const link = z.object({ id: z.string(), dependsOn: z.string() });
const issue = z.object({
  kind: z.enum(['missing', 'self', 'cycle', 'duplicate']),
  id: z.string(),
  dependsOn: z.string(),
  message: z.string(),
});

const pair = z.strictObject({
  id: idTextSchema(10_000).describe(
    'Who waits: tasks ("5"), subtasks ("5.2"), ranges ("7-10"), separated by commas',
  ),
  dependsOn: idTextSchema(10_000).describe('For what: written alike'),
  tag,
  projectRoot,
});

export const addDependencyTool = defineChangeTool({
  name: 'add_dependency',
  title: 'Add dependencies',
  category: 'dependency-management',
  changes: ['tasks'],
  description:
    'Lets tasks or subtasks wait for others. A dependency that would close a circle is refused, with the chain named.',
  hints: IDEMPOTENT_WRITE_HINTS,
  input: pair,
  result: z.object({ ...inPlace, added: z.array(link) }),
  command: ({ id, dependsOn, tag }) => ({ command: 'add_dependency', id, dependsOn, tag }),
  summarize: ({ added }, { id, dependsOn }) =>
    added.length > 0 ? `${id} now waits for ${dependsOn}.` : `${id} already waited for ${dependsOn}.`,
});

export const removeDependencyTool = defineChangeTool({
  name: 'remove_dependency',
  title: 'Remove dependencies',
  category: 'dependency-management',
  changes: ['tasks'],
  description: 'Lets tasks or subtasks no longer wait for others.',
  hints: DESTRUCTIVE_HINTS,
  input: pair,
  result: z.object({ ...inPlace, removed: z.array(link) }),
  command: ({ id, dependsOn, tag }) => ({ command: 'remove_dependency', id, dependsOn, tag }),
  summarize: (_result, { id, dependsOn }) => `${id} no longer waits for ${dependsOn}.`,
});

export const validateDependenciesTool = defineViewTool({
  name: 'validate_dependencies',
  title: 'Check dependencies',
  category: 'dependency-management',
  description:
    "Looks for dependencies of a tag's tasks on nothing, on themselves, said twice, or in a circle. A task and its own subtask are a circle.",
  input: z.strictObject({ tag, projectRoot }),
  result: z.object({ ...inPlace, valid: z.boolean(), checked: z.int(), issues: z.array(issue) }),
  view: (project, { projectRoot, ...input }) => {
    const { tag, tasks } = openTag(project, projectRoot, input.tag);
    const issues = findDependencyIssues(tasks);
    return { projectRoot, tag, valid: issues.length === 0, checked: tasks.length, issues };
  },
  summarize: ({ valid, checked, issues }) =>
    valid
      ? `The dependencies of ${pluralize(checked, 'task')} are in order.`
      : `${pluralize(issues.length, 'problem')}: ${issues[0]?.message}.`,
  checked: ({ checked }) => checked,
});

export const fixDependenciesTool = defineChangeTool({
  name: 'fix_dependencies',
  title: 'Mend dependencies',
  category: 'dependency-management',
  changes: ['tasks'],
  description: 'Takes out what validate_dependencies finds.',
  hints: { ...DESTRUCTIVE_HINTS, idempotentHint: true },
  input: z.strictObject({ tag, projectRoot }),
  result: z.object({
    ...inPlace,
    fixed: z.array(issue),
    // Outcomes that are kept for an idempotency key may be of an older release.
    checked: z.int().optional(),
  }),
  command: ({ tag }) => ({ command: 'fix_dependencies', tag }),
  summarize: ({ fixed }) =>
    fixed.length === 0 ? 'Nothing had to be mended.' : `Mended ${pluralize(fixed.length, 'problem')}.`,
  checked: ({ checked = 0 }) => checked,
});
