import type { ImportedProjectReply, ProjectReply } from '@baton/gateway/reply-types';
import { isRecord } from '@baton/protocol';
import { type Output, print } from '../output/print.ts';
import { jsonText } from '../output/plain-text.ts';
import { openRest, type RestClient } from '../rest/rest-client.ts';
import { ConfigurationError } from '../settings/environment.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { readDataFile } from '../settings/data-file.ts';
import { readLimit } from './read-limit.ts';

export type ProjectAction = 'list' | 'export' | 'import' | 'delete';

export interface ProjectFlags extends RestFlags {
  readonly limit?: string;
  /** Of `import`: refuses a file that needs a repair. */
  readonly strict?: boolean;
}

/** `baton projects`. Returns the exit code. Errors: those of RestClient, UsageError, ConfigurationError for a file. */
export async function runProjects(
  action: ProjectAction,
  [project = '', file = '-']: readonly string[],
  flags: ProjectFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const rest = await openRest(flags, environment, 'a key of the tenant with scope mcp or admin');
  print(await perform(rest, action, project, file, flags), flags);
  return 0;
}

async function perform(
  rest: RestClient,
  action: ProjectAction,
  project: string,
  file: string,
  flags: ProjectFlags,
): Promise<Output> {
  const path = `/projects/${encodeURIComponent(project)}`;
  switch (action) {
    case 'list': {
      const { items, more } = await rest.list<ProjectReply>('/projects', 'projects', readLimit(flags.limit));
      if (items.length === 0) return { value: items, text: 'There are no projects.' };
      const rows = items.map(({ projectRoot, bytes, lastUsedAt = '' }) => [bytes, lastUsedAt, projectRoot]);
      const notes = more ? ['There are more: --limit shows more of them.'] : [];
      return { value: items, table: [['bytes', 'used', 'project'], ...rows], notes };
    }
    case 'export': {
      const value = await rest.request('GET', path);
      return { value, text: jsonText(value) };
    }
    case 'import': {
      const value = await rest.request<ImportedProjectReply>(
        'PUT',
        flags.strict === true ? `${path}?strict=true` : path,
        readTasksFile(file),
      );
      const counts = Object.entries(value.taskCounts).map(([tag, count]) => `${count} in ${tag}`);
      const repairs = value.repairs.map(({ place, problem }) => `repaired: ${place} ${problem}`);
      const replaced =
        value.replacedTasks === undefined ? '' : ` They replace what it had: ${value.replacedTasks} tasks.`;
      const text = `${project} has its tasks from the file: ${counts.join(', ')}.${replaced}`;
      return { value, text, notes: repairs };
    }
    case 'delete':
      await rest.request('DELETE', path);
      return { value: { projectRoot: project, deleted: true }, text: `${project} is deleted.` };
  }
}

function readTasksFile(file: string): object {
  const value = readDataFile(file);
  if (isRecord(value)) return value;
  throw new ConfigurationError(
    `${file}: holds ${Array.isArray(value) ? 'an array' : 'no object'}; it must be an object of tags, such as {"master": {"tasks": []}}`,
  );
}
