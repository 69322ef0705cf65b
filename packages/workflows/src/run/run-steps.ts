import { BatonError } from '@baton/protocol';
import { isRoomFor, MAX_OUTPUT_LENGTH } from '../progress/truncate-step-state.ts';
import type { WorkflowInput, WorkflowProgress, WorkflowStop } from '../progress/workflow-progress.ts';
import type { WorkflowStep } from '../definition/workflow.ts';
import { expandArguments, expandUri, type MissingValue } from '../templates/expand-template.ts';
import { MAX_CALL_ARGUMENTS_LENGTH, ValueBudget } from '../templates/value-budget.ts';
import { callTool, lookAtTask, readResource, record, type Run, type StepOutcome } from './move.ts';
import { templateContextOf } from '../progress/template-context-of-progress.ts';
import { isOpen, type Stop, turnOf } from '../progress/step-state.ts';
import type { EmbeddedResource, ToolOutcome } from '../progress/tool-outcome.ts';

/**
 * Runs the steps that are not done, in their order, up to the first that fails, cannot be called, or delegates; gives the progress
 * then, whose `stop` says why. Each outcome is recorded before the next step begins, so whoever runs the workflow again goes
 * on from there. A step that somebody else has done meanwhile is not called.
 */
export function* runSteps(input: WorkflowInput, begun: WorkflowProgress): Run<WorkflowProgress> {
  const { workflow } = input;
  let progress = begun;
  let steps: [number, StepOutcome][] = [];
  let resources: [number, EmbeddedResource[]][] = [];

  for (const [index, step] of workflow.steps.entries()) {
    if (!isOpenAt(index)) continue;
    const unread = yield* readResources(index, step);
    if (unread !== undefined) return yield* save({ ...unread, step: index });
    if (step.tool === undefined) {
      steps.push([index, { kind: 'shown' }]);
      continue;
    }
    const problem = yield* callStep(index, step.tool, step);
    if (problem !== undefined) return yield* save({ ...problem, step: index });
    const stop = stopAfter(steps.at(-1)?.[1]);
    progress = yield* save(stop && { ...stop, step: index });
    if (isOpenAt(index)) return progress;
  }
  return steps.length === 0 ? { ...progress, stop: null } : yield* save(null);

  function isOpenAt(index: number): boolean {
    const state = progress.steps[index];
    return state !== undefined && isOpen(state);
  }

  function* save(stop: WorkflowStop | null | undefined): Run<WorkflowProgress> {
    const change = { steps, resources, stop };
    [steps, resources] = [[], []];
    return yield* record(change);
  }

  function* readResources(index: number, step: WorkflowStep): Run<Stop | undefined> {
    if (progress.resources[index]?.length === step.resources.length) return undefined;
    const read: EmbeddedResource[] = [];
    if (step.resources.length > 0) resources.push([index, read]);
    for (const template of step.resources) {
      const budget = new ValueBudget(MAX_CALL_ARGUMENTS_LENGTH);
      const expanded = expandUri(template, templateContextOf(input, progress), budget);
      if (budget.isExceeded) return tooLarge('the URI of a resource');
      const stop = stopFor(expanded.missing);
      if (stop !== undefined) return stop;
      try {
        read.push(boundedResource(yield* readResource(expanded.uri)));
        if (!isRoomFor(JSON.stringify(read).length, progress.size))
          throw new BatonError('limit_size', 'The resource is larger than what a workflow may embed.');
      } catch (thrown) {
        if (!(thrown instanceof BatonError)) throw thrown;
        const error = thrown.toWire();
        const reason = expanded.notGiven.map((name) => `the argument '${name}' was not given`).join(', ');
        return {
          reason: 'resource',
          uri: expanded.uri,
          error: reason === '' ? error : { ...error, message: `${reason}: ${error.message}` },
        };
      }
    }
    return undefined;
  }

  /** Calls the step's tool, or sees to the task that it waits for. A problem: why it was not called. */
  function* callStep(
    index: number,
    tool: string,
    { arguments: templates = {} }: WorkflowStep,
  ): Run<Stop | undefined> {
    const state = progress.steps[index];
    const after = turnOf(state);
    if (state?.status === 'delegated') {
      const outcome = yield* lookAtTask(state.taskId);
      return add(index, { kind: 'called', after, arguments: state.arguments, outcome });
    }
    const budget = new ValueBudget(MAX_CALL_ARGUMENTS_LENGTH);
    const expanded = expandArguments(templates, templateContextOf(input, progress), budget);
    if (budget.isExceeded) return tooLarge('the arguments');
    const stop = stopFor(expanded.missing);
    if (stop !== undefined) return stop;
    const outcome = yield* callTool({ step: index, after, tool, arguments: expanded.args });
    return add(index, { kind: 'called', after, arguments: expanded.args, outcome });
  }

  function add(
    index: number,
    called: {
      kind: 'called';
      after: number;
      arguments: Extract<StepOutcome, { kind: 'called' }>['arguments'];
      outcome: ToolOutcome;
    },
  ): Stop | undefined {
    const { outcome } = called;
    switch (outcome.kind) {
      case 'refused':
        return {
          reason: 'refused',
          problems: outcome.problems.map(({ field, problem }) =>
            field === '' ? problem : `${field}: ${problem}`,
          ),
        };
      case 'out_of_time':
      case 'interrupted':
        return { reason: outcome.kind };
      default:
        steps.push([index, { ...called, outcome }]);
        return undefined;
    }
  }
}

/** Why a run stops after what came of a step; undefined where it goes on. */
function stopAfter(step: StepOutcome | undefined): Stop | undefined {
  if (step?.kind !== 'called') return undefined;
  const { kind } = step.outcome;
  if (kind === 'failed') return { reason: 'failed' };
  return kind === 'delegated' || kind === 'working' ? { reason: 'delegated' } : undefined;
}

/** What is missing stops a step: first what no step has made, then what an output lacks. */
function stopFor(missing: readonly MissingValue[]): Stop | undefined {
  const outputs = missing.filter(({ kind }) => kind === 'output');
  if (outputs.length > 0) {
    return {
      reason: 'no_output',
      problems: outputs.map(({ argument, step }) => `'${argument}' needs the output of step '${step}'`),
    };
  }
  if (missing.length === 0) return undefined;
  return { reason: 'unresolved', problems: missing.map(problemOf) };
}

function problemOf({ kind, argument, step, field }: MissingValue): string {
  return kind === 'variable'
    ? `'${argument}' needs the task's variable '${field}', which nothing has set`
    : `'${argument}' needs the field '${field}' of step '${step}', whose output lacks it`;
}

function tooLarge(what: string): Stop {
  return {
    reason: 'unresolved',
    problems: [`${what} would be longer than ${MAX_CALL_ARGUMENTS_LENGTH} characters`],
  };
}

function boundedResource(resource: EmbeddedResource): EmbeddedResource {
  const { length } = JSON.stringify(resource);
  if (length <= MAX_OUTPUT_LENGTH) return resource;
  throw new BatonError(
    'limit_size',
    `The resource has ${length} characters; a prompt embeds ${MAX_OUTPUT_LENGTH} at most.`,
  );
}
