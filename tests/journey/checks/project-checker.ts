import type { AnyJson } from '../../harness/mcp-client.ts';
import { type JourneyDeployment, TENANT } from '../deployment/journey-deployment.ts';
import { DoneItemTracker, itemsById } from './done-item-tracker.ts';
import { checkProjectInvariants } from './project-invariants.ts';

/** Checks the project after each step: its rules, its done items, and how often it was written. */
export class ProjectChecker {
  /** Violations, each with the step after which it was found. */
  readonly violations: string[] = [];
  /** Steps with an unexpected number of commits. */
  readonly commitErrors: string[] = [];
  /** Milliseconds by tool. */
  readonly durations = new Map<string, number>();
  steps = 0;
  file: AnyJson = {};
  private readonly deployment: JourneyDeployment;
  private readonly project: string;
  private readonly done = new DoneItemTracker();
  private version = 0;
  private since = performance.now();

  constructor(deployment: JourneyDeployment, project: string) {
    this.deployment = deployment;
    this.project = project;
  }

  /** `commits` is the expected number; undefined for a call that the client may repeat, which commits at least once. */
  async checkAfterStep(name: string, commits?: number): Promise<void> {
    this.steps++;
    const [tool = ''] = name.split(' ');
    this.durations.set(tool, (this.durations.get(tool) ?? 0) + performance.now() - this.since);
    this.file = await this.exportProject(this.project);
    const version = await this.readVersion();
    if (commits !== undefined && version - this.version !== commits)
      this.commitErrors.push(`${name} committed ${version - this.version} times instead of ${commits}`);
    if (commits === undefined && version === this.version)
      this.commitErrors.push(`${name} committed nothing`);
    this.version = version;
    for (const problem of [...checkProjectInvariants(this.file), ...this.done.findChanges(this.file)])
      this.violations.push(`after ${name}: ${problem}`);
    this.since = performance.now();
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }

  async exportProject(project: string): Promise<AnyJson> {
    return this.deployment.rest(
      'GET',
      `/projects/${encodeURIComponent(project)}`,
      undefined,
      this.deployment.key,
    );
  }

  /** How often the project was written: its version. */
  get commits(): number {
    return this.version;
  }

  get counts(): { tasks: number; subtasks: number } {
    const ids = [...itemsById(this.file).keys()];
    const subtasks = ids.filter((id) => id.includes('.')).length;
    return { tasks: ids.length - subtasks, subtasks };
  }

  statusOf(id: string): string | undefined {
    return itemsById(this.file).get(id)?.status;
  }

  /** The first subtask of each task, if neither is done. */
  get firstOpenSubtasks(): string[] {
    return [...itemsById(this.file)].flatMap(([id, { status, subtasks }]) => {
      const [first] = status === 'done' ? [] : (subtasks ?? []);
      return first === undefined || first.status === 'done' ? [] : [`${id}.${first.id}`];
    });
  }

  /** The number of tasks and subtasks that are not done. */
  get openItems(): number {
    return [...itemsById(this.file).values()].filter(({ status }) => status !== 'done').length;
  }

  private async readVersion(): Promise<number> {
    const key = `baton:{s0}:t:${TENANT}:project:${encodeURIComponent(this.project)}`;
    return Number(await this.deployment.redis.hget(key, 'v'));
  }
}
