import { isRecord } from '@baton/protocol';
import type { ProjectMetadata, ConnectedFile } from '../model/project-metadata.ts';
import type { Project, Tag, TagMetadata } from '../model/project.ts';
import type { ComplexityReport } from '../model/complexity-report.ts';
import type { Task } from '../model/task.ts';

/**
 * A project as the fields of one stored record, so that a commit writes what changed and not the whole:
 *
 *   meta              { currentTag, tags: [names, in order] }
 *   tag:<tag>         { metadata, extra, ids: [tasks, in order] }, less what changes with every commit:
 *   updated:<tag>     when the tag was last changed
 *   task:<id>:<tag>   the task with its subtasks
 *   report:<tag>      the complexity report of the tag
 *   about, rules      where there are any
 *   file:<name>       a connected file with its text
 *
 * The id is before the tag, so that a tag's name may hold any character. Later kinds of fields get prefixes of
 * their own; `projectFromFields` ignores the ones that it does not know.
 */
const META = 'meta';
const ABOUT = 'about';
const RULES = 'rules';
const FILE = 'file:';
const REPORT = 'report:';
const tagField = (tag: string) => `tag:${tag}`;
const updatedField = (tag: string) => `updated:${tag}`;
const taskField = (tag: string, id: number) => `task:${id}:${tag}`;

/** Every field with its value. A task's value is the task itself, so that unchanged ones keep their identity. */
export function projectToFields(project: Project): Map<string, unknown> {
  const fields = new Map<string, unknown>([[META, metaOf(project)]]);
  for (const [name, tag] of project.tags) {
    fields.set(tagField(name), recordOf(tag));
    fields.set(updatedField(name), tag.metadata.updated);
    for (const task of tag.tasks) fields.set(taskField(name, task.id), task);
  }
  for (const [name, report] of project.reports) fields.set(REPORT + name, report);
  if (Object.keys(project.about).length > 0) fields.set(ABOUT, project.about);
  if (project.rules.length > 0) fields.set(RULES, project.rules);
  for (const [name, file] of project.files) fields.set(FILE + name, file);
  return fields;
}

/** The project that fields hold. @throws Error on fields that `projectToFields` did not write. */
export function projectFromFields(fields: ReadonlyMap<string, string>): Project {
  const meta = parse(fields, META);
  const tags = (meta['tags'] as string[]).map((name): [string, Tag] => {
    const { metadata, extra, ids } = parse(fields, tagField(name));
    const tasks = (ids as number[]).map((id) => parse(fields, taskField(name, id)) as unknown as Task);
    const kept = metadata as TagMetadata;
    const text = fields.get(updatedField(name));
    const updated = text === undefined ? kept.updated : (JSON.parse(text) as string);
    return [name, { tasks, metadata: { ...kept, updated }, extra: extra as Tag['extra'] }];
  });
  const rules = fields.get(RULES);
  return {
    currentTag: meta['currentTag'] as string,
    tags: new Map(tags),
    about: fields.has(ABOUT) ? (parse(fields, ABOUT) as ProjectMetadata) : {},
    rules: rules === undefined ? [] : (JSON.parse(rules) as string[]),
    files: parseAll<ConnectedFile>(fields, FILE),
    reports: parseAll<ComplexityReport>(fields, REPORT),
  };
}

/** The fields whose names begin with `prefix`, by the rest of their names, in the order of those. */
function parseAll<T>(fields: ReadonlyMap<string, string>, prefix: string): Map<string, T> {
  const names = [...fields.keys()].filter((field) => field.startsWith(prefix)).sort();
  return new Map(names.map((field) => [field.slice(prefix.length), parse(fields, field) as unknown as T]));
}

export interface ChangedFields {
  readonly set: [field: string, value: string][];
  readonly delete: string[];
}

/** What to write, as JSON texts, and what to delete, so that stored fields of `before` become those of `after`. */
export function changedProjectFields(before: Project | undefined, after: Project): ChangedFields {
  const old = before ? projectToFields(before) : new Map<string, unknown>();
  const fresh = projectToFields(after);
  const set: [string, string][] = [];
  for (const [field, value] of fresh) {
    const was = old.get(field);
    if (was === value) continue;
    const text = JSON.stringify(value);
    // Rebuilt but equal values (meta, a tag's ids) are recognized by their JSON.
    if (was === undefined || JSON.stringify(was) !== text) set.push([field, text]);
  }
  return { set, delete: [...old.keys()].filter((field) => !fresh.has(field)) };
}

function metaOf({ currentTag, tags }: Project) {
  return { currentTag, tags: [...tags.keys()] };
}

function recordOf({ metadata, extra, tasks }: Tag) {
  // The field keeps its position, so that an exported file has its fields in the imported order.
  return { metadata: { ...metadata, updated: null }, extra, ids: tasks.map(({ id }) => id) };
}

function parse(fields: ReadonlyMap<string, string>, field: string): Record<string, unknown> {
  const text = fields.get(field);
  if (text === undefined) throw new Error(`the project's record lacks its field '${field}'`);
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`the project's field '${field}' is not an object`);
  return value;
}
