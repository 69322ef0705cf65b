import { expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { isPeriodicCommand, RedisMonitor } from '../harness/redis-monitor.ts';
import { tenSteps } from './ten-step-workflow.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

test('ten steps over instant tools cost under three Redis calls a step, and fifty cost no more a step', async () => {
  const fixture = await WorkflowFixture.start({ gateways: 2, workers: 1 });
  const monitor = await RedisMonitor.open(fixture.baton.redisUrl);
  await callTool(fixture.clients[0], 'add_task', { projectRoot: 'p', title: 'Dig', description: 'Dig.' });
  // A worker's polls of its queues would be counted too.
  await fixture.baton.workers[0]?.stop();
  const callsPerStep = async (name: string, steps: readonly object[]) => {
    await fixture.put(name, steps);
    expect((await fixture.run(name)).status).toBe('completed');
    // The fewest of three: now and then something else stands among them.
    let fewest = Infinity;
    for (let time = 0; time < 3; time++) {
      await monitor.caughtUp();
      const from = monitor.commands.length;
      await fixture.run(name);
      await monitor.caughtUp();
      const calls = monitor.commands.slice(from).filter((command) => !isPeriodicCommand(command));
      fewest = Math.min(fewest, calls.length);
    }
    return fewest / steps.length;
  };
  const ten = await callsPerStep('ten', tenSteps('p'));
  const reading = (_: unknown, at: number) => ({
    name: `r${at}`,
    tool: 'next_task',
    arguments: { projectRoot: 'p' },
  });
  const fifty = await callsPerStep('fifty', Array.from({ length: 50 }, reading));
  console.log(`Redis calls a step: ${ten} of ten, ${fifty} of fifty`);
  expect(ten).toBeLessThan(3);
  expect(fifty).toBeLessThan(2.5);
  monitor.close();
  await fixture.stop();
});
