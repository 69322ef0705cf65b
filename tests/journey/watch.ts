import type { Loose } from '../harness/client.ts';
import { type Crew, TENANT } from './crew.ts';
import { DoneWork, itemsOf } from './done-work.ts';
import { brokenRules } from './project-rules.ts';

/** Looks at the project after each step: its rules, the work that was done, and how often it was written. */
export class Watch {
  /** What did not hold, each with the step after which it was seen. */
  readonly broken: string[] = [];
  /** Where the number of commits was not the one that the step calls for. */
  readonly miscounted: string[] = [];
  /** How long the steps took, by their tools, in milliseconds. */
  readonly took = new Map<string, number>();
  steps = 0;
  file: Loose = {};
  private readonly crew: Crew;
  private readonly project: string;
  private readonly done = new DoneWork();
  private version = 0;
  private since = performance.now();

  constructor(crew: Crew, project: string) {
    this.crew = crew;
    this.project = project;
  }

  /** After a step that commits so often; a client's own call may be repeated, and then commits again what already is so. */
  async step(name: string, commits?: number): Promise<void> {
    this.steps++;
    const [tool = ''] = name.split(' ');
    this.took.set(tool, (this.took.get(tool) ?? 0) + performance.now() - this.since);
    this.file = await this.exported(this.project);
    const version = await this.versionNow();
    if (commits !== undefined && version - this.version !== commits)
      this.miscounted.push(`${name} committed ${version - this.version} times instead of ${commits}`);
    if (commits === undefined && version === this.version) this.miscounted.push(`${name} committed nothing`);
    this.version = version;
    for (const problem of [...brokenRules(this.file), ...this.done.touched(this.file)])
      this.broken.push(`after ${name}: ${problem}`);
    this.since = performance.now();
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(otherwise);
  }

  async exported(project: string): Promise<Loose> {
    return this.crew.rest('GET', `/projects/${encodeURIComponent(project)}`, undefined, this.crew.key);
  }

  /** How often the project was written. */
  get commits(): number {
    return this.version;
  }

  get counts(): { tasks: number; subtasks: number } {
    const ids = [...itemsOf(this.file).keys()];
    const subtasks = ids.filter((id) => id.includes('.')).length;
    return { tasks: ids.length - subtasks, subtasks };
  }

  statusOf(id: string): string | undefined {
    return itemsOf(this.file).get(id)?.status;
  }

  /** The first subtask of each task, where neither is done. */
  get firstParts(): string[] {
    return [...itemsOf(this.file)].flatMap(([id, { status, subtasks }]) => {
      const [first] = status === 'done' ? [] : (subtasks ?? []);
      return first === undefined || first.status === 'done' ? [] : [`${id}.${first.id}`];
    });
  }

  /** How many tasks and subtasks are not done. */
  get open(): number {
    return [...itemsOf(this.file).values()].filter(({ status }) => status !== 'done').length;
  }

  private async versionNow(): Promise<number> {
    const key = `baton:{s0}:t:${TENANT}:project:${encodeURIComponent(this.project)}`;
    return Number(await this.crew.redis.hget(key, 'v'));
  }
}
