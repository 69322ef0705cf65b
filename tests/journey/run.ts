import { Chaos } from './chaos.ts';
import { Crew } from './crew.ts';
import { startLlm } from './llm.ts';
import { leftOpen, takenTwice } from './once.ts';
import { planOf } from './plan.ts';
import { Progress } from './progress.ts';
import { RemoteClient } from './remote-client.ts';
import { strayed } from './round-trip.ts';
import { PROJECT, walk } from './walk.ts';
import { Watch } from './watch.ts';

/** What a journey claims, with what speaks against it: nothing, if it holds. */
export interface Claim {
  readonly name: keyof typeof CLAIMS;
  readonly text: string;
  readonly against: readonly string[];
}

export const CLAIMS = {
  struck: 'workers, agents and a replica are killed',
  walked: 'the walk reaches its end, everything is done',
  held: 'the project holds its rules after every step, and done work is not touched',
  fitted: "every result fits its tool's output schema",
  once: 'each call becomes one task, each delegation is taken once, each commit lands once',
  closed: 'nothing is left open',
  returned: 'the exported file fits the published schema, and comes back as the same project',
} as const;

/** One journey from a document to work that is done, on processes of its own, with the strikes of its seed. */
export async function run(seed: number, entry: string): Promise<Claim[]> {
  const claims: Claim[] = [];
  const claim = (name: Claim['name'], against: readonly string[], seen: string) =>
    claims.push({ name, text: `${CLAIMS[name]} (${seen})`, against });
  const plan = planOf(seed);
  const progress = new Progress();
  const llm = await startLlm(seed, progress);
  const crew = await Crew.start(entry, llm, progress).catch(async (error: unknown) => {
    await llm.close();
    throw error;
  });
  const chaos = new Chaos(plan, progress, crew);
  const client = new RemoteClient(crew.urls, crew.key, (tool, replica) => {
    if (tool === 'set_task_status') progress.tell('marking', `gateway-${replica}`);
    else if (OPERATIONS.has(tool)) progress.tell('starting', `gateway-${replica}`);
    return () => crew.hear();
  });
  const watch = new Watch(crew, PROJECT);
  try {
    await client.open();
    const broke = await walk(plan, client, watch).then(
      () => [],
      (error: unknown) => [`it broke off: ${error instanceof Error ? error.stack : String(error)}`],
    );
    await crew.back();
    const { tasks, subtasks } = watch.counts;
    claim('struck', chaos.missing, chaos.told);
    const undone = watch.open === 0 && tasks > 0 ? [] : [`${watch.open} of ${tasks + subtasks} are not done`];
    claim('walked', [...broke, ...undone], `${plan.document}: ${tasks} tasks, ${subtasks} subtasks`);
    claim('held', watch.broken, `${watch.steps} steps`);
    const fitting = [...client.fitting.values()].reduce((sum, one) => sum + one, 0);
    const calls = `${fitting} results of ${client.fitting.size} tools, ${client.repeats} calls repeated`;
    claim('fitted', [...client.misfits, ...(fitting > 0 ? [] : ['there was none'])], calls);
    const { against, seen } = await takenTwice(crew, plan.numTasks);
    claim('once', [...against, ...watch.commits], seen);
    claim('closed', await leftOpen(crew), 'requests, claims, leases, deadlines, tasks');
    claim('returned', await strayed(crew, watch, PROJECT), `${tasks + subtasks} items`);
    return claims;
  } finally {
    await client.close();
    await crew.stop();
    await llm.close();
  }
}

const OPERATIONS = new Set(['parse_prd', 'analyze_project_complexity', 'expand_all', 'update']);
