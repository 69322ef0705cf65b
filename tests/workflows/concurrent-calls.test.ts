import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await fixture.put('many', [
    { name: 'missing', tool: 'get_task', arguments: { id: 77 } },
    { name: 'second', tool: 'get_task', arguments: { id: 2 } },
    { name: 'list', tool: 'list_tags' },
    { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } },
  ]);
  for (const title of ['One', 'Two', 'Three'])
    await callTool(fixture.clients[0], 'add_task', { title, description: 'x' });
});
afterAll(() => fixture?.stop());

interface Act {
  readonly at: number;
  readonly tool: string;
  readonly args: object;
}
const acts: fc.Arbitrary<Act> = fc.record({
  at: fc.nat(1),
  tool: fc.constantFrom('get_task', 'list_tags', 'next_task', 'bench_echo'),
  args: fc.constant({}),
});

test(`calls for one workflow at once, on two replicas: no result is lost, and progress and variables agree (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 2, maxLength: 12 }), async (all) => {
      const { taskId } = await fixture.run('many');
      const made = await Promise.all(
        all.map(async ({ at, tool }, n) => {
          const args =
            tool === 'get_task' ? { id: 1 + (n % 3) } : tool === 'bench_echo' ? { text: `echo ${n}` } : {};
          const call = await fixture.continue(taskId, tool, args, { at });
          expect(call.continuation).toMatchObject({ recorded: true });
          if (tool !== 'bench_echo') return { tool, result: call.structured };
          const { outcome } = await callTool(fixture.clients[1 - at]!, 'agent_llm', {
            interactionId: call.structured.interactionId,
            agentLLMResponse: successAnswer({ value: `answer ${n}` }),
          });
          return { tool, result: outcome.result };
        }),
      );
      const [one, other]: AnyJson[] = await Promise.all([
        fixture.status(taskId, 0),
        fixture.status(taskId, 1),
      ]);
      expect(one.variables).toEqual(other.variables);
      const { variables } = one;
      const { steps, completed } = variables['_workflow.progress'];
      for (const { name, status } of steps)
        expect([name, status === 'completed']).toEqual([name, `_workflow.result.${name}` in variables]);
      expect(completed).toBe(steps.filter(({ status }: AnyJson) => status === 'completed').length);
      // As many steps are done as calls of their tools can have done; the rest are repeats, of which the last one stands.
      const calls = (tool: string) => made.filter((one) => one.tool === tool);
      const results = (names: readonly string[]) =>
        names.map((name) => variables[`_workflow.result.${name}`]).filter((one) => one !== undefined);
      for (const [tool, names] of [
        ['get_task', ['missing', 'second']],
        ['list_tags', ['list']],
        ['bench_echo', ['echo']],
      ] as const) {
        const stand = results(names);
        expect([tool, stand.length]).toEqual([tool, Math.min(names.length, calls(tool).length)]);
        for (const result of stand) expect(calls(tool).map((one) => one.result)).toContainEqual(result);
      }
      expect(variables['_workflow.extra.next_task'] !== undefined).toBe(calls('next_task').length > 0);
      // Nothing stands twice, and nothing waits on.
      expect(steps.map(({ status }: AnyJson) => status)).not.toContain('delegated');
    }),
    { seed, numRuns: 25 },
  );
});
