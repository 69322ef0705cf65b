import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { RedisMonitor } from '../../harness/redis-monitor.ts';

/** What a delegation of `expand_all` costs must not grow with the project, nor with what the task has behind it. */
let baton: InProcessDeployment;
let monitor: RedisMonitor;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  monitor = await RedisMonitor.open(baton.redisUrl);
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(async () => {
  monitor.close();
  await baton.stop();
});

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

/** Answers what leads, one after the other; gives back what leads then. */
async function answerSome(interactionId: string, count: number): Promise<string> {
  let next = interactionId;
  for (let n = 0; n < count; n++) {
    const agentLLMResponse = successAnswer({ subtasks });
    const { outcome } = await callTool(client, 'agent_llm', {
      interactionId: next,
      agentLLMResponse,
      waitMs: 20_000,
    });
    next = outcome.pending?.interactionId ?? '';
  }
  return next;
}

describe('expand_all', { timeout: 240_000 }, () => {
  test('needs hardly more Redis calls per delegation for 1,000 tasks than for 300, fewer for 10, and writes only what it changes', async () => {
    const measured: { perDelegation: number; largest: number }[] = [];
    for (const count of [10, 10, 300, 1_000]) {
      const projectRoot = `calls-${measured.length}`;
      await plan(projectRoot, count);
      const { interactionId } = await callTool(client, 'expand_all', { projectRoot });
      const first = await answerSome(interactionId, 1);
      const trips = 8;
      const commands = await monitor.commandsOf(() => answerSome(first, trips));
      const largest = Math.max(...commands.map((command) => command.length));
      measured.push({ perDelegation: commands.length / trips, largest });
    }
    // The first is to warm up.
    const [, small, some, many] = measured;
    // The index of a larger project is read in one part more.
    expect(Math.abs(many!.perDelegation - some!.perDelegation)).toBeLessThanOrEqual(2);
    expect(small!.perDelegation).toBeLessThan(14);
    // A small project is read whole by one call, a larger one as far as it is looked at by some.
    expect(many!.perDelegation).toBeLessThan(19);
    // Two requests in one batch, each with what it tells of the project; never the project, which is 400,000 characters.
    expect(many!.largest).toBeLessThan(20_000);
  });

  test('keeps one short entry per finished branch, so that a resume after 500 loads little more than after 5', async () => {
    await plan('late', 600);
    const asked = await callTool(client, 'expand_all', { projectRoot: 'late' });
    const journalNow = async () => {
      const response = await fetch(`${baton.url(0)}/v1/tasks/${asked.taskId}`, {
        headers: { authorization: `Bearer ${admin}` },
      });
      return ((await response.json()) as { journal: { path: string }[] }).journal;
    };
    const admin = await baton.createKey({ scopes: ['admin'] });
    const next = await answerSome(asked.interactionId, 5);
    const early = JSON.stringify(await journalNow()).length;
    await answerSome(next, 495);
    const journal = await journalNow();
    // A finished branch is one short entry; what was under it is gone. Eight are under way.
    const underBranches = journal.filter(({ path }) => path.split('.').length > 2);
    expect(journal.length - underBranches.length).toBeGreaterThan(500);
    expect(underBranches.length).toBeLessThanOrEqual(8 * 3);
    const each = (JSON.stringify(journal).length - early) / 495;
    expect(each).toBeLessThan(200);
  });
});
