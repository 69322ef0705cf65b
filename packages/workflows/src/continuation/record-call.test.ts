import type { JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deployWorkflow } from '../testing/deploy-workflow.ts';
import { completedOutcome, runWorkflowInMemory } from '../testing/run-workflow-in-memory.ts';
import { type ClientCall, recordCall, type WorkflowProgress } from './record-call.ts';
import { workflowVariables } from './variables.ts';

const tell = (name: string, message: string) => ({
  name,
  tool: 'notify_team',
  arguments: { message, count: 1 },
});

const input = {
  workflow: deployWorkflow({
    steps: [
      { name: 'deploy', tool: 'deploy_service', arguments: { region: '{{args.region}}' } },
      tell('first', 'hello'),
      tell('second', 'bye'),
    ],
  }),
  args: { region: 'us-east-1' },
};

const error = { code: 'unavailable', message: 'no' };

/** Right after a run that stopped at its first step. */
const begun: WorkflowProgress = {
  steps: runWorkflowInMemory(input, { callTool: () => ({ kind: 'failed', error, repeat: true }) }).steps,
  extras: {},
};

const call = (tool: string, args: JsonObject, outcome: ClientCall['outcome']): ClientCall => ({
  tool,
  arguments: args,
  outcome,
});
const done = (value: number) => completedOutcome({ value }) as ClientCall['outcome'];
const failed: ClientCall['outcome'] = { kind: 'failed', error, repeat: true };

/** Records calls one after the other: the steps that they counted for, and the variables then. */
function record(...calls: ClientCall[]) {
  let progress = begun;
  const steps = calls.map((one) => {
    const recorded = recordCall(input, progress, one);
    progress = recorded.progress;
    return recorded.step;
  });
  return { steps, variables: workflowVariables(input, progress) };
}

test('a call counts for the open step of its tool, whatever its arguments and the order', () => {
  const { steps, variables } = record(
    call('notify_team', { odd: 1 }, done(1)),
    call('deploy_service', {}, done(2)),
  );
  expect(steps).toEqual(['first', 'deploy']);
  expect(variables).toMatchObject({
    '_workflow.progress': { goal: 'deploy the service to a region', completed: 2, total: 3 },
    '_workflow.result.first': { value: 1 },
    '_workflow.result.deploy': { value: 2 },
  });
});

test('of several open steps of its tool it counts for the one with most equal arguments', () => {
  expect(record(call('notify_team', { message: 'bye', count: 1 }, done(1))).steps).toEqual(['second']);
  expect(record(call('notify_team', { message: 'other', count: 1 }, done(1))).steps).toEqual(['first']);
});

test('without an open step it replaces the result of the one that was recorded last', () => {
  const { steps, variables } = record(
    call('notify_team', { message: 'bye', count: 1 }, done(1)),
    call('notify_team', {}, done(2)),
    call('notify_team', {}, done(3)),
  );
  expect(steps).toEqual(['second', 'first', 'first']);
  expect(variables).toMatchObject({
    '_workflow.result.second': { value: 1 },
    '_workflow.result.first': { value: 3 },
  });
});

test('a failure leaves its step open, and takes no result away', () => {
  const first = record(call('deploy_service', {}, failed));
  expect(first.steps).toEqual(['deploy']);
  expect(first.variables['_workflow.progress']).toMatchObject({
    completed: 0,
    steps: [{ status: 'failed', source: 'client', error }, {}, {}],
  });
  const second = record(call('deploy_service', {}, done(1)), call('deploy_service', {}, failed));
  expect(second.steps).toEqual(['deploy', undefined]);
  expect(second.variables).toMatchObject({
    '_workflow.result.deploy': { value: 1 },
    '_workflow.extra.deploy_service': { status: 'failed' },
  });
});

test('a call of any other tool is an extra, by its tool, whatever it is called', () => {
  const { steps, variables } = record(
    call('get_tasks', {}, done(1)),
    call('get_tasks', {}, done(2)),
    call('__proto__', {}, done(3)),
  );
  expect(steps).toEqual([undefined, undefined, undefined]);
  expect(variables).toMatchObject({
    '_workflow.extra.get_tasks': { value: 2 },
    '_workflow.extra.__proto__': { value: 3 },
  });
});

test('progress and variables never drift apart, whatever is called in whatever order', () => {
  const calls = fc.record({
    tool: fc.constantFrom('deploy_service', 'notify_team', 'get_tasks'),
    arguments: fc.constantFrom<JsonObject>({}, { message: 'hello' }, { message: 'bye', count: 1 }),
    outcome: fc.oneof(
      fc.nat(100).map(done),
      fc.constant(failed),
      fc.constant<ClientCall['outcome']>({ kind: 'working', taskId: 't' }),
    ),
  });
  fc.assert(
    fc.property(fc.array(calls, { maxLength: 20 }), (all) => {
      let progress = begun;
      for (const one of all) {
        const before = progress;
        const recorded = recordCall(input, before, one);
        progress = recorded.progress;
        const open = progress.steps.filter(({ status }) => status !== 'completed').length;
        expect(recorded.remaining).toBe(open);
        const variables = workflowVariables(input, progress);
        const results = Object.keys(variables).filter((name) => name.startsWith('_workflow.result.'));
        expect(results).toHaveLength(3 - open);
        expect(variables['_workflow.progress']).toMatchObject({ completed: 3 - open, total: 3 });
        // One step at most changes, and none opens again.
        const changed = progress.steps.filter((state, index) => state !== before.steps[index]);
        expect(changed.length).toBeLessThanOrEqual(1);
        expect(open).toBeLessThanOrEqual(before.steps.filter(({ status }) => status !== 'completed').length);
        if (one.outcome.kind === 'completed') {
          const name =
            recorded.step === undefined ? `_workflow.extra.${one.tool}` : `_workflow.result.${recorded.step}`;
          expect(variables[name]).toEqual(one.outcome.output);
        }
      }
    }),
    { verbose: 1 },
  );
});
