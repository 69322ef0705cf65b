import { setTimeout as delay } from 'node:timers/promises';
import { postJsonRpc } from '../../harness/mcp-client.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import type { BatonProcess } from '../../processes/baton-process.ts';
import type { Scenario, ScenarioReport } from '../testbed/scenario.ts';
import { Testbed } from '../testbed/testbed.ts';
import { tryCallTool } from '../testbed/tool-calls.ts';

const RUNS = 32;
const AT_ONCE = 8;
const STEPS = 8;
const WORKFLOW = 'fill';
const KILLS = 6;

/** A step adds a subtask: a call of it that counted twice would show. */
const DEFINITION = {
  name: WORKFLOW,
  description: 'fill a task',
  arguments: [{ name: 'project', required: true }],
  steps: Array.from({ length: STEPS }, (_, n) => ({
    name: `s${n}`,
    tool: 'add_subtask',
    arguments: { projectRoot: '{{args.project}}', id: 1, title: `Part ${n}` },
  })),
};

interface Run {
  readonly taskId: string;
  readonly status: string;
  readonly attempts: number;
}

/**
 * Gateways are killed while they run workflows, and each client repeats its `prompts/get` under its idempotency key until there is a
 * reply: each run is one task that completes, and each of its steps took effect once.
 */
export const killedWorkflows: Scenario = {
  name: 'killed-workflows',
  async run(report, entry) {
    const seed = String(Date.now());
    const random = seededRandom(`killed workflows ${seed}`);
    const testbed = await Testbed.start(entry);
    try {
      const gateways = [await testbed.startProcess('gateway'), await testbed.startProcess('gateway')];
      await testbed.startProcess('worker');
      const { url } = gateways[1] as BatonProcess;
      const key = await testbed.createTenant(url, 'acme');
      await testbed.rest(url, 'PUT', '/tenants/acme/workflows/fill', DEFINITION);
      for (let n = 0; n < RUNS; n++)
        await tryCallTool(url, key, 'add_task', { projectRoot: `p${n}`, title: 'All', description: 'All.' });

      let isOver = false;
      const killing = (async () => {
        for (let kill = 0; kill < KILLS && !isOver; kill++) {
          await delay(20 + random.below(120));
          const at = random.below(2);
          await gateways[at]?.stop('SIGKILL');
          gateways[at] = await testbed.startProcess('gateway');
        }
      })();
      const urlNow = () => gateways[random.below(2)]?.url ?? '';
      const runs: Run[] = [];
      const waiting = Array.from({ length: RUNS }, (_, n) => n);
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let n = waiting.shift(); n !== undefined; n = waiting.shift())
            runs[n] = await runUntilTold(urlNow, key, n);
        }),
      );
      isOver = true;
      await killing;
      await checkRuns(report, runs, gateways[0]?.url ?? '', key, seed);
    } finally {
      await testbed.stop();
    }
  },
};

/** Repeats a run at whichever gateway until one tells it. */
async function runUntilTold(urlNow: () => string, key: string, n: number): Promise<Run> {
  for (let attempts = 1; attempts < 100; attempts++) {
    const told = await getPrompt(urlNow(), key, n);
    if (told !== undefined) return { ...told, attempts };
    await delay(50);
  }
  throw new Error(`run ${n} was never told`);
}

async function getPrompt(url: string, key: string, n: number) {
  const params = {
    name: WORKFLOW,
    arguments: { project: `p${n}` },
    _meta: { 'baton/idempotencyKey': `run-${n}` },
  };
  try {
    const { body } = await postJsonRpc(
      url,
      key,
      { jsonrpc: '2.0', id: 1, method: 'prompts/get', params },
      { accept: 'application/json, text/event-stream' },
    );
    const { task_id: taskId, task_status: status } = body.result._meta;
    return { taskId: String(taskId), status: String(status) };
  } catch {
    // The gateway was killed, or has not started yet.
    return undefined;
  }
}

async function checkRuns(
  report: ScenarioReport,
  runs: readonly Run[],
  url: string,
  key: string,
  seed: string,
): Promise<void> {
  const cutOff = runs.filter(({ attempts }) => attempts > 1).length;
  report.check(cutOff > 0, 'runs were cut off by kills', `${cutOff} of ${RUNS}, seed ${seed}`);
  const unended = runs.filter(({ status }) => status !== 'completed');
  report.check(unended.length === 0, 'every run is completed', unended);
  const repeats = await Promise.all(runs.map((_, n) => getPrompt(url, key, n)));
  report.check(
    repeats.every((one, n) => one?.taskId === runs[n]?.taskId && one?.status === 'completed'),
    'a later repeat tells the same task',
  );
  const planned = DEFINITION.steps.map(({ arguments: { title } }) => title).join();
  const found = await Promise.all(
    runs.map(async (_, n) => {
      const { content } = await tryCallTool(url, key, 'get_task', { projectRoot: `p${n}`, id: 1 });
      return content.task.subtasks.map(({ title }: { title: string }) => title).join() as string;
    }),
  );
  const wrong = found.filter((titles) => titles !== planned);
  report.check(wrong.length === 0, 'each step of each run took effect once, in order', wrong);
}
