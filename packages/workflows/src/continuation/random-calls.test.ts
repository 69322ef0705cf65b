import fc from 'fast-check';
import type { JsonObject } from '@baton/protocol';
import { expect, test } from 'vitest';
import { parseProgress, changeBetween } from '../progress/stored-progress.ts';
import { settleChildren } from '../progress/settle-children.ts';
import { type ChildEnd, newProgress, type WorkflowProgress } from '../progress/workflow-progress.ts';
import { deployWorkflow } from '../testing/sample-workflow.ts';
import { completedOutcome } from '../testing/run-workflow-in-memory.ts';
import { isOpen, type StepState } from '../progress/step-state.ts';
import { type ClientCall, recordCall } from './record-call.ts';
import { workflowVariables } from '../progress/workflow-variables.ts';

const input = { workflow: deployWorkflow(), args: { region: 'us-east-1' } };
const error = { code: 'unavailable', message: 'no' };

type Act =
  | { readonly act: 'call'; readonly call: ClientCall }
  | { readonly act: 'end'; readonly which: number; readonly value: number | undefined };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('call' as const),
      call: fc.record({
        call: fc.uuid(),
        tool: fc.constantFrom('deploy_service', 'notify_team', 'get_tasks'),
        arguments: fc.constantFrom<JsonObject>({}, { region: 'us-east-1' }, { message: 'bye' }),
        outcome: fc.oneof(
          fc.nat(100).map((value) => completedOutcome({ value }) as ClientCall['outcome']),
          fc.constant<ClientCall['outcome']>({ kind: 'failed', error, repeat: true }),
          fc.nat(5).map((n): ClientCall['outcome'] => ({ kind: 'working', taskId: `t${n}` })),
        ),
      }),
    }),
  },
  fc.record({
    act: fc.constant('end' as const),
    which: fc.nat(5),
    value: fc.option(fc.nat(100), { nil: undefined }),
  }),
);

/** The store: parts of text, and the end of a task as the scripts write it. */
class StoredParts {
  parts = new Map<string, string>();
  revision = 0;

  read(): { stored: WorkflowProgress; progress: WorkflowProgress } {
    const stored = parseProgress(input.workflow, this);
    return { stored, progress: settleChildren(stored) };
  }

  write(stored: WorkflowProgress, after: WorkflowProgress): void {
    const { sets, drops } = changeBetween(stored, after);
    for (const [path, text] of sets) this.parts.set(path, text);
    for (const path of drops) this.parts.delete(path);
    this.revision++;
  }

  end(taskId: string, value: number | undefined): boolean {
    // A task ends once.
    if (!this.parts.has(`c.${taskId}`) || this.parts.has(`d.${taskId}`)) return false;
    const turn = ++this.revision;
    const end: ChildEnd =
      value === undefined
        ? { turn, status: 'failed', outcome: error }
        : { turn, status: 'completed', outcome: { value } };
    this.parts.set(`d.${taskId}`, JSON.stringify(end));
    return true;
  }
}

const countOpen = (steps: readonly StepState[]) => steps.filter(isOpen).length;

test('no result is lost, and progress and variables never drift apart, whatever is called and ends in whatever order', () => {
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 30 }), (all) => {
      const store = new StoredParts();
      let open = 3;
      for (const one of all) {
        const before = store.read().progress;
        let result: [tool: string, value: number] | undefined;
        if (one.act === 'call') {
          const { outcome, tool } = one.call;
          const { stored, progress } = store.read();
          store.write(stored, recordCall(input, progress, one.call).progress);
          if (outcome.kind === 'completed') result = [tool, outcome.output['value'] as number];
        } else {
          const child = before.children.get(`t${one.which}`);
          if (store.end(`t${one.which}`, one.value) && child !== undefined && one.value !== undefined)
            result = [child.tool, one.value];
        }
        const { progress } = store.read();
        const variables = workflowVariables(input, progress);
        if (result !== undefined) {
          const [tool, value] = result;
          const places = input.workflow.steps.flatMap((step) =>
            step.tool === tool ? [`_workflow.result.${step.name}`] : [],
          );
          if (places.length === 0) places.push(`_workflow.extra.${tool}`);
          expect(places.map((place) => variables[place])).toContainEqual({ value });
        }
        const results = Object.keys(variables).filter((name) => name.startsWith('_workflow.result.'));
        expect(results).toHaveLength(3 - countOpen(progress.steps));
        expect(variables['_workflow.progress']).toMatchObject({ completed: results.length, total: 3 });
        // Nothing that is done opens again.
        expect(countOpen(progress.steps)).toBeLessThanOrEqual(open);
        open = countOpen(progress.steps);
        // What waits for a task names one that the workflow knows of.
        for (const state of [...progress.steps, ...progress.extras.values()])
          if (state.status === 'delegated') expect([...progress.children.keys()]).toContain(state.taskId);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('parts are read as they were written, and only what changed is written', () => {
  const begun = newProgress(input.workflow);
  const called = recordCall(input, begun, {
    call: 'c',
    tool: 'deploy_service',
    arguments: { region: 'x' },
    outcome: { kind: 'working', taskId: 't1' },
  }).progress;
  const change = changeBetween(begun, called);
  expect(change.sets.map(([path]) => path)).toEqual(['s1', 'c.t1']);
  const parsed = parseProgress(input.workflow, { revision: 1, parts: new Map(change.sets) });
  expect({ ...parsed, revision: 0, size: 0 }).toEqual({ ...called, size: 0 });
  expect(changeBetween(parsed, settleChildren(parsed))).toEqual({ sets: [], drops: [] });
});
