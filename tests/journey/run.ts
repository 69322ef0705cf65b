import { Chaos } from './chaos.ts';
import { Crew } from './crew.ts';
import { startLlm } from './llm.ts';
import { leftOpen, takenTwice } from './once.ts';
import { type Plan, planOf } from './plan.ts';
import { Progress } from './progress.ts';
import { RemoteClient } from './remote-client.ts';
import { strayed } from './round-trip.ts';
import { OPERATIONS, PROJECT, walk } from './walk.ts';
import { Watch } from './watch.ts';

const CLAIMS = {
  struck: 'workers, agents and a replica are killed',
  walked: 'the walk reaches its end, everything is done',
  held: 'the project holds its rules after every step, and done work is not touched',
  fitted: "every result fits its tool's output schema",
  once: 'each call becomes one task, each delegation is taken once, each commit lands once',
  closed: 'nothing is left open',
  returned: 'the exported file fits the published schema, and comes back as the same project',
} as const;
type Name = keyof typeof CLAIMS;

/** What a journey claims, with what speaks against it: nothing, if it holds. */
export interface Claim {
  readonly name: Name | 'made';
  readonly text: string;
  readonly against: readonly string[];
}

export interface Journey {
  readonly claims: readonly Claim[];
  /** How long it took, and its stages. */
  readonly took: string;
}

/** What was looked at for a claim, and what speaks against it. */
interface Seen {
  readonly seen: string;
  readonly against: readonly string[];
}

/** One journey from a document to work that is done, on processes of its own, with the strikes of its seed. */
export async function run(seed: number, entry: string): Promise<Journey> {
  const begun = performance.now();
  const plan = planOf(seed);
  const progress = new Progress();
  const llm = await startLlm(seed, progress);
  let crew: Crew | undefined;
  try {
    crew = await Crew.start(entry, llm, progress);
    return await travel(plan, crew, progress, begun);
  } catch (error) {
    return { claims: [{ name: 'made', text: 'the journey can be made', against: [told(error)] }], took: '' };
  } finally {
    await crew?.stop();
    await llm.close();
  }
}

async function travel(plan: Plan, crew: Crew, progress: Progress, begun: number): Promise<Journey> {
  const ready = performance.now();
  const chaos = new Chaos(plan, progress, crew);
  const watch = new Watch(crew, PROJECT);
  const client = new RemoteClient(crew.urls, crew.key, (tool, replica) => {
    if (tool === 'set_task_status') progress.tell('marking', `gateway-${replica}`);
    else if (OPERATIONS.has(tool)) progress.tell('starting', `gateway-${replica}`);
    return () => chaos.attempted();
  });
  await client.open();
  const broke: string[] = [];
  await walk(plan, client, watch).catch((error: unknown) => broke.push(told(error), ...crew.lastWords));
  await client.close();
  await crew.back();

  const { tasks, subtasks } = watch.counts;
  const items = tasks + subtasks;
  const looks: Record<Name, () => Seen | Promise<Seen>> = {
    struck: () => ({ seen: chaos.told, against: chaos.missing }),
    walked: () => {
      const undone = watch.open === 0 && items > 0 ? [] : [`${watch.open} of ${items} are not done`];
      const seen = `${plan.document}: ${tasks} tasks, ${subtasks} subtasks`;
      return { seen, against: [...broke, ...undone] };
    },
    held: () => ({ seen: `${watch.steps} steps`, against: watch.broken }),
    fitted: () => client.checks,
    once: async () => {
      const { seen, against } = await takenTwice(crew, plan.numTasks);
      const more = `${progress.times('asked')} LLM calls, ${watch.commits} commits`;
      return { seen: `${seen}, ${more}`, against: [...against, ...watch.miscounted] };
    },
    closed: async () => ({
      seen: 'requests, claims, leases, deadlines, tasks',
      against: await leftOpen(crew),
    }),
    returned: async () => ({ seen: `${items} items`, against: await strayed(crew, watch, PROJECT) }),
  };
  const claims: Claim[] = [];
  for (const [name, look] of Object.entries(looks) as [Name, () => Seen | Promise<Seen>][]) {
    const { seen, against } = await Promise.resolve()
      .then(look)
      .catch((error: unknown) => ({ seen: 'it could not be looked at', against: [told(error)] }));
    claims.push({ name, text: `${CLAIMS[name]} (${seen})`, against });
  }
  const stages = [...watch.took].map(([tool, ms]) => `${tool} ${seconds(ms)}`).join(', ');
  const all = seconds(performance.now() - begun);
  return { claims, took: `${all} s (start ${seconds(ready - begun)}, ${stages})` };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
