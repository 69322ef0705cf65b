import type { JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceMessages } from '../messages/trace.ts';
import { MAX_OUTPUT_LENGTH, MAX_KEPT_LENGTH } from '../progress/truncate-step-state.ts';
import { recordOutcome } from '../progress/record-outcome.ts';
import { newProgress, type WorkflowProgress } from '../progress/workflow-progress.ts';
import { deployWorkflow } from '../testing/sample-workflow.ts';
import { completedOutcome, runWorkflowInMemory } from '../testing/run-workflow-in-memory.ts';
import type { ToolOutcome } from '../progress/tool-outcome.ts';

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

test('a run that is cut off anywhere goes on from what is recorded: the same calls, none twice, and the same messages', () => {
  fc.assert(
    fc.property(fc.array(outcomes, { minLength: 3, maxLength: 3 }), fc.nat(3), (given, cut) => {
      const input = { workflow: deployWorkflow(), args };
      let recorded: WorkflowProgress = newProgress(input.workflow);
      const run = (begun: WorkflowProgress, dieAt?: number) => {
        const calls: string[] = [];
        const callTool = (tool: string): ToolOutcome => {
          if (calls.length === dieAt) throw new Error('killed');
          calls.push(tool);
          return given[['validate_config', 'deploy_service', 'notify_team'].indexOf(tool)] as ToolOutcome;
        };
        const gateway = { callTool, onRecord: (progress: WorkflowProgress) => (recorded = progress) };
        let end: unknown;
        try {
          end = traceMessages(input, runWorkflowInMemory(input, gateway, begun));
        } catch (thrown) {
          if ((thrown as Error).message !== 'killed') throw thrown;
        }
        return { calls, end };
      };
      const whole = run(newProgress(input.workflow));
      recorded = newProgress(input.workflow);
      const before = run(recorded, cut);
      if (before.end !== undefined) {
        expect(before.end).toEqual(whole.end);
        return;
      }
      const after = run(recorded);
      expect([...before.calls, ...after.calls]).toEqual(whole.calls);
      expect(after.end).toEqual(whole.end);
    }),
  );
});

test('a run goes on past what somebody else has done, with its results, and calls a failed step again', () => {
  const input = { workflow: deployWorkflow(), args };
  const failed = runWorkflowInMemory(input, {
    callTool: () => ({ kind: 'failed', error: { code: 'unavailable', message: 'no' }, repeat: true }),
  });
  const done = recordOutcome(failed, 1, {
    source: 'client',
    tool: 'deploy_service',
    arguments: {},
    turn: 9,
    outcome: { kind: 'completed', output: { version: 13 } },
  });
  const calls: [string, JsonObject][] = [];
  const callTool = (tool: string, given: JsonObject) => {
    calls.push([tool, given]);
    return completedOutcome({});
  };
  const resumed = runWorkflowInMemory(input, { callTool }, done);
  expect(calls).toEqual([
    ['validate_config', { region: 'us-east-1' }],
    ['notify_team', { message: 'Deployed 13 to us-east-1. Cheers' }],
  ]);
  expect(resumed.stop).toBeNull();
  expect(resumed.steps[1]).toMatchObject({ source: 'client', output: { version: 13 } });
});

test('a run that comes upon a step that delegates looks at its task, and calls it no second time', () => {
  const input = { workflow: deployWorkflow(), args };
  const directive = { interactionId: 'i-1' };
  const parked = runWorkflowInMemory(input, {
    callTool: () => ({ kind: 'delegated', taskId: 't-1', directive }),
  });
  const callTool = (tool: string): ToolOutcome => {
    if (tool === 'validate_config') throw new Error('called twice');
    return completedOutcome({ version: 1 });
  };
  const still = runWorkflowInMemory(
    input,
    { callTool, look: (taskId) => ({ kind: 'delegated', taskId, directive: { interactionId: 'i-2' } }) },
    parked,
  );
  expect(still.steps[0]).toMatchObject({ status: 'delegated', directive: { interactionId: 'i-2' } });
  const ended = runWorkflowInMemory(
    input,
    { callTool, look: () => completedOutcome({ config: { id: 1 } }) },
    parked,
  );
  expect(ended.stop).toBeNull();
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
  expect(kept.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(MAX_KEPT_LENGTH);
});
