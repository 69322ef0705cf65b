import type { Entry } from '@baton/engine';
import type { JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceMessages } from '../messages/trace.ts';
import { deployWorkflow } from '../testing/deploy-workflow.ts';
import { completedOutcome, runWorkflowInMemory } from '../testing/run-workflow-in-memory.ts';
import { MAX_OUTPUT_LENGTH, MAX_OUTPUTS_LENGTH } from './kept-output.ts';
import type { ToolOutcome } from './tool-outcome.ts';

const args = { region: 'us-east-1', note: 'Cheers' };

test('arguments keep the JSON types of what they refer to', () => {
  const calls: JsonObject[] = [];
  const callTool = (_tool: string, given: JsonObject) => {
    calls.push(given);
    return completedOutcome({ config: { id: { parts: [1, true, null] } }, version: 12 });
  };
  runWorkflowInMemory({ workflow: deployWorkflow(), args }, { callTool });
  expect(calls).toEqual([
    { region: 'us-east-1' },
    { region: 'us-east-1', config: { parts: [1, true, null] }, count: 2 },
    { message: 'Deployed 12 to us-east-1. Cheers' },
  ]);
});

const outcomes: fc.Arbitrary<ToolOutcome> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('completed' as const),
      output: fc.constantFrom<JsonObject>({ config: { id: 1 }, version: 2 }, { config: {} }, {}),
    }),
  },
  fc.constant<ToolOutcome>({ kind: 'failed', error: { code: 'unavailable', message: 'no' }, repeat: true }),
  fc.constant<ToolOutcome>({ kind: 'refused', problems: [{ field: 'config', problem: 'is missing' }] }),
  fc.constant<ToolOutcome>({ kind: 'delegated', taskId: 't', directive: { interactionId: 'i' } }),
  fc.constant<ToolOutcome>({ kind: 'out_of_time' }),
);

test('a run that is cut off anywhere goes on from its journal: the same calls, none twice, and the same messages', () => {
  fc.assert(
    fc.property(fc.array(outcomes, { minLength: 3, maxLength: 3 }), fc.nat(3), (given, cut) => {
      const input = { workflow: deployWorkflow(), args };
      const run = (journal: Map<string, Entry>, dieAt?: number) => {
        const calls: string[] = [];
        const callTool = (tool: string): ToolOutcome => {
          if (calls.length === dieAt) throw new Error('killed');
          calls.push(tool);
          return given[['validate_config', 'deploy_service', 'notify_team'].indexOf(tool)] as ToolOutcome;
        };
        let end: unknown;
        try {
          end = traceMessages(input, runWorkflowInMemory(input, { callTool }, journal));
        } catch (thrown) {
          if ((thrown as Error).message !== 'killed') throw thrown;
        }
        return { calls, end };
      };
      const whole = run(new Map());
      const journal = new Map<string, Entry>();
      const before = run(journal, cut);
      const after = run(journal);
      expect([...before.calls, ...after.calls]).toEqual(whole.calls);
      expect(after.end).toEqual(whole.end);
    }),
    { verbose: 1 },
  );
});

test('outputs are kept up to a bound each, and up to a bound together', () => {
  const steps = Array.from({ length: 20 }, (_, n) => ({
    name: `s${n}`,
    tool: 'notify_team',
    arguments: { message: 'm' },
  }));
  const input = { workflow: deployWorkflow({ steps }), args };
  const keptLengths = (length: number) => {
    const run = runWorkflowInMemory(input, { callTool: () => completedOutcome({ x: 'y'.repeat(length) }) });
    expect(run.stop).toBeNull();
    return run.steps.flatMap((state) =>
      state.status === 'completed' && state.output !== undefined ? [state.length] : [],
    );
  };
  expect(keptLengths(MAX_OUTPUT_LENGTH)).toEqual([]);
  const kept = keptLengths(MAX_OUTPUT_LENGTH - 100);
  expect(kept).toHaveLength(4);
  expect(kept.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(MAX_OUTPUTS_LENGTH);
});
