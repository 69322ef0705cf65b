import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, call, connect } from '../../harness/client.ts';
import { Deployment } from '../../harness/deployment.ts';
import { Monitor } from '../../harness/monitor.ts';

/** What a delegation of `expand_all` costs must not grow with the project, nor with what the task has behind it. */
let baton: Deployment;
let monitor: Monitor;
let client: Client;
beforeAll(async () => {
  baton = await Deployment.start({ gateways: 1, workers: 1 });
  monitor = await Monitor.open(baton.redisUrl);
  client = await connect(baton.url(0), baton.apiKey);
});
afterAll(async () => {
  monitor.close();
  await baton.stop();
});

const isOfTheClock = (command: string) => /:swept"|:shifts" "baton:inbox/.test(command);
const subtasks = [1, 2, 3].map((id) => ({ id, title: `Part ${id}`, description: 'What and why.' }));

async function plan(projectRoot: string, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    description: 'What it is about, in a sentence of the usual length.',
    details: 'How it is done, in more than one sentence. '.repeat(8),
  }));
  const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

/** Answers what leads, one after the other; gives back how long each took, in milliseconds. */
async function answerSome(interactionId: string, count: number): Promise<{ next: string; times: number[] }> {
  const times: number[] = [];
  let next = interactionId;
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    const agentLLMResponse = answerOf({ subtasks });
    const { outcome } = await call(client, 'agent_llm', {
      interactionId: next,
      agentLLMResponse,
      waitMs: 20_000,
    });
    times.push(performance.now() - begun);
    next = outcome.pending?.interactionId ?? '';
  }
  return { next, times };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

describe('expand_all', { timeout: 240_000 }, () => {
  test('costs as many calls to Redis a delegation for 1,000 tasks as for 10, and writes only what it changes', async () => {
    const measured: { perDelegation: number; largest: number }[] = [];
    for (const count of [10, 10, 1_000]) {
      const projectRoot = `calls-${measured.length}`;
      await plan(projectRoot, count);
      const { interactionId } = await call(client, 'expand_all', { projectRoot });
      const first = await answerSome(interactionId, 1);
      const from = monitor.commands.length;
      const trips = 8;
      await answerSome(first.next, trips);
      const commands = monitor.commands.slice(from).filter((command) => !isOfTheClock(command));
      const largest = Math.max(...commands.map((command) => command.length));
      measured.push({ perDelegation: commands.length / trips, largest });
    }
    console.log(`Redis calls per delegation and characters of the largest: ${JSON.stringify(measured)}`);
    // The first is to warm up.
    const [, few, many] = measured;
    expect(Math.abs(many!.perDelegation - few!.perDelegation)).toBeLessThanOrEqual(1);
    expect(many!.perDelegation).toBeLessThan(14);
    expect(many!.largest).toBeLessThan(8_000);
  });

  test('keeps one short entry of each finished branch, so that a resume with 500 behind it loads little more than with 5', async () => {
    await plan('late', 600);
    await plan('early', 600);
    const asked = await call(client, 'expand_all', { projectRoot: 'late' });
    let late = (await answerSome(asked.interactionId, 500)).next;
    const other = await call(client, 'expand_all', { projectRoot: 'early' });
    let early = (await answerSome(other.interactionId, 5)).next;
    // In turns, so that whatever else the machine does falls on both.
    const times: { early: number[]; late: number[] } = { early: [], late: [] };
    for (let n = 0; n < 25; n++) {
      const one = await answerSome(early, 1);
      const two = await answerSome(late, 1);
      [early, late] = [one.next, two.next];
      times.early.push(...one.times);
      times.late.push(...two.times);
    }
    const admin = await baton.key({ scopes: ['admin'] });
    const response = await fetch(`${baton.url(0)}/v1/tasks/${asked.taskId}`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    const { journal } = (await response.json()) as { journal: { path: string }[] };
    // A finished branch is one short entry; what was under it is gone. Eight are under way.
    const underBranches = journal.filter(({ path }) => path.split('.').length > 2);
    expect(journal.length - underBranches.length).toBeGreaterThan(500);
    expect(underBranches.length).toBeLessThanOrEqual(8 * 3);
    expect(JSON.stringify(journal).length).toBeLessThan(150_000);
    console.log(
      `median of a delegation: ${median(times.early)} ms with 5 behind, ${median(times.late)} ms with 500`,
    );
  });
});
