import type { JsonObject } from '@baton/protocol';
import { expect, test } from 'vitest';
import { deployWorkflow } from '../testing/sample-workflow.ts';
import { completedOutcome, runWorkflowInMemory } from '../testing/run-workflow-in-memory.ts';
import { type ClientCall, recordCall } from './record-call.ts';
import { workflowVariables } from '../progress/workflow-variables.ts';

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
const begun = runWorkflowInMemory(input, { callTool: () => ({ kind: 'failed', error, repeat: true }) });

let calls = 0;
const call = (tool: string, args: JsonObject, outcome: ClientCall['outcome']): ClientCall => ({
  call: `call-${calls++}`,
  tool,
  arguments: args,
  outcome,
});
const done = (value: number) => completedOutcome({ value }) as ClientCall['outcome'];
const failed: ClientCall['outcome'] = { kind: 'failed', error, repeat: true };

/** Records calls one after the other: the steps that they counted for, and the variables then. */
function record(...all: ClientCall[]) {
  let progress = begun;
  const steps = all.map((one) => {
    const recorded = recordCall(input, progress, one);
    progress = { ...recorded.progress, revision: progress.revision + 1 };
    return recorded.step;
  });
  return { steps, variables: workflowVariables(input, progress), progress };
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

test.each([8, '8'])('a number is equal to its text, as for the tools: %j', (message) => {
  const numbered = {
    ...input,
    workflow: deployWorkflow({ steps: [tell('first', '7'), tell('second', '8')] }),
  };
  const stopped = runWorkflowInMemory(numbered, {
    callTool: () => ({ kind: 'failed', error, repeat: true }),
  });
  expect(recordCall(numbered, stopped, call('notify_team', { message }, done(1))).step).toBe('second');
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

test('a step without a tool is shown as done once the calls before it are, and is counted as it is shown', () => {
  const steps = [tell('first', 'a'), { name: 'think', guidance: 'Think first.' }, tell('second', 'b')];
  const guided = { ...input, workflow: deployWorkflow({ steps }) };
  const stopped = runWorkflowInMemory(guided, {
    callTool: () => ({ kind: 'failed', error, repeat: true }),
  });
  const { progress } = recordCall(guided, stopped, call('notify_team', { message: 'a' }, done(1)));
  expect(workflowVariables(guided, stopped)['_workflow.progress']).toMatchObject({ completed: 0 });
  expect(workflowVariables(guided, progress)['_workflow.progress']).toMatchObject({
    completed: 2,
    total: 3,
    steps: [{ status: 'completed' }, { name: 'think', status: 'shown' }, { status: 'open' }],
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

test('a call that is recorded again, since its reply was lost, counts once', () => {
  const once = call('notify_team', { message: 'bye' }, done(1));
  expect(record(once, once).steps).toEqual(['second', 'second']);
  expect(record(once, once).variables['_workflow.progress']).toMatchObject({ completed: 1 });
});
