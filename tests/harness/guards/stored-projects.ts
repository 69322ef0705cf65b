import { isDeepStrictEqual } from 'node:util';
import { findInvariantViolations } from '@baton/operations/testing/project-invariants';
import { changedProjectFields, projectFromFields } from '@baton/operations/testing/whole-project';
import { measureProject } from '@baton/store/testing/measured-storage';
import { Redis } from 'ioredis';

/** The field that is no part of a project: its version. */
const VERSION = 'v';
/** Which tenant and project a key is of. */
const PROJECT_KEY = /^(.*:t:[^:]+):project:(.*)$/s;

/**
 * Reads every project of a Redis and holds it against the model: ids, dependencies, parents, statuses and limits, the index that is
 * stored beside the tasks, and the bytes that it counts. A project is read again when its version has changed.
 */
export class StoredProjectChecker {
  private readonly redis: Redis;
  private readonly sizes: boolean;
  private readonly seen = new Map<string, string>();

  /** `sizes`: false where projects were written past Baton, which only estimates what those take. */
  constructor(redisUrl: string, { sizes = true } = {}) {
    this.sizes = sizes;
    this.redis = new Redis(redisUrl.replace('unix://', ''), { lazyConnect: true });
    this.redis.on('error', () => {});
  }

  /** What is wrong with the projects that have changed since the last call, a line each. */
  async findViolations(): Promise<string[]> {
    const keys: string[] = [];
    for (let cursor = ''; cursor !== '0'; ) {
      const [next, found] = await this.redis.scan(cursor || '0', 'MATCH', '*:project:*', 'COUNT', 10_000);
      keys.push(...found);
      cursor = next;
    }
    const projects = [...new Set(keys)].filter((key) => PROJECT_KEY.test(key));
    return (await Promise.all(projects.map(async (key) => this.check(key)))).flat();
  }

  /** How many projects it has seen. */
  get projects(): number {
    return this.seen.size;
  }

  close(): void {
    this.redis.disconnect();
  }

  private async check(key: string): Promise<string[]> {
    const version = await this.redis.hget(key, 'v');
    if (version === null || this.seen.get(key) === version) return [];
    const [, tenant = '', name = ''] = PROJECT_KEY.exec(key) ?? [];
    const project = decodeURIComponent(name);
    // Together, so that no commit comes between them.
    const [[, fields], [, use]] = (await this.redis
      .multi()
      .hgetall(key)
      .hget(`${tenant}:projectUse`, project)
      .exec()) as [[null, Record<string, string>], [null, string | null]];
    this.seen.set(key, fields['v'] ?? '');
    return violationsOf(project, fields, this.sizes ? use : null).map(
      (violation) => `project '${project}': ${violation}`,
    );
  }
}

/** Holds every project of a Redis against the model, once: of what its processes have written by the end of a run. */
export async function findProjectViolations(
  redisUrl: string,
): Promise<{ readonly projects: number; readonly violations: readonly string[] }> {
  const checker = new StoredProjectChecker(redisUrl);
  try {
    const violations = await checker.findViolations();
    return { projects: checker.projects, violations };
  } finally {
    checker.close();
  }
}

/** What is wrong with the stored fields of a project; `use` is what its tenant counts of it, `<ms> <bytes>`, or null. */
function violationsOf(name: string, stored: Record<string, string>, use: string | null): string[] {
  const fields = new Map(Object.entries(stored).filter(([field]) => field !== VERSION));
  const project = projectFromFields(fields);
  const violations = findInvariantViolations(project);
  for (const [tag, { tasks }] of project.tags)
    for (const { id, subtasks } of tasks)
      for (const { id: own, parentTaskId = id } of subtasks)
        if (parentTaskId !== id)
          violations.push(`${tag}: ${id}.${own} says that its parent is ${parentTaskId}`);
  violations.push(...differences(fields, project));
  const counted = /^\d+ (-?\d+)(;|$)/.exec(use ?? '')?.[1];
  const bytes = measureProject(name, stored);
  if (counted !== undefined && Number(counted) !== bytes)
    violations.push(`it counts ${counted} bytes and has ${bytes}`);
  return violations;
}

/** Fields that a project, written anew, would have otherwise: tasks of no tag, and an index of other tasks. */
function differences(
  fields: ReadonlyMap<string, string>,
  project: ReturnType<typeof projectFromFields>,
): string[] {
  const anew = new Map(changedProjectFields(undefined, project).set);
  const names = new Set([...fields.keys(), ...anew.keys()]);
  return [...names].flatMap((field) => {
    const [is, would] = [fields.get(field), anew.get(field)];
    if (is === undefined) return [`its field ${field} is missing`];
    if (would === undefined) return [`its field ${field} is of nothing`];
    return is === would || isDeepStrictEqual(JSON.parse(is), JSON.parse(would))
      ? []
      : [`its field ${field} is ${is.slice(0, 200)} instead of ${would.slice(0, 200)}`];
  });
}
