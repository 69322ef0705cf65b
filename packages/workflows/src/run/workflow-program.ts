import { callTool, type Program, type ProgramDefinition, readResource } from '@baton/engine';
import { BatonError, type JsonObject, WORKFLOW_OPERATION } from '@baton/protocol';
import type { Workflow, WorkflowStep } from '../definition/workflow.ts';
import {
  expandArguments,
  expandUri,
  MAX_EXPANDED_LENGTH,
  type MissingValue,
} from '../templates/expand-template.ts';
import { keepOutput, MAX_OUTPUT_LENGTH } from './kept-output.ts';
import { scopeOf } from './scope-of-run.ts';
import type { StepState, Stop, WorkflowRun } from './step-state.ts';
import type { EmbeddedResource, ToolOutcome } from './tool-outcome.ts';

/** What a run begins with: the definition, as it was then, and the prompt's arguments. */
export interface WorkflowInput {
  readonly workflow: Workflow;
  readonly args: Readonly<Record<string, string>>;
}

/**
 * Runs the steps in their order, up to the first that fails, cannot be called, or delegates. Each call is an effect, so a
 * run that was cut off goes on from its journal. Its result is a WorkflowRun.
 */
export const workflowProgram: ProgramDefinition<WorkflowInput> = {
  name: WORKFLOW_OPERATION,
  version: 1,
  *run(input) {
    return toJson(yield* runSteps(input));
  },
};

/** The result of `workflowProgram`. */
export function workflowRunOf(result: JsonObject): WorkflowRun {
  return result as unknown as WorkflowRun;
}

function toJson(run: WorkflowRun): JsonObject {
  return run as unknown as JsonObject;
}

function* runSteps({ workflow, args }: WorkflowInput): Program<WorkflowRun> {
  const states: StepState[] = workflow.steps.map(() => ({ status: 'open' }));
  const resources: EmbeddedResource[][] = workflow.steps.map(() => []);
  for (const [index, step] of workflow.steps.entries()) {
    const stop = (yield* readResources(index, step)) ?? (yield* callStep(index, step));
    if (stop !== undefined) return { steps: states, resources, stop: { ...stop, step: index } };
  }
  return { steps: states, resources, stop: null };

  function* readResources(index: number, step: WorkflowStep): Program<Stop | undefined> {
    for (const template of step.resources) {
      const expanded = expandUri(template, scopeOf(workflow, args, states));
      if (expanded.kind === 'too_large') return tooLarge('the URI of a resource');
      const stop = stopFor(expanded.missing);
      if (stop !== undefined) return stop;
      try {
        const resource = yield* readResource<EmbeddedResource>(expanded.uri);
        resources[index]?.push(boundedResource(resource));
      } catch (thrown) {
        if (!(thrown instanceof BatonError)) throw thrown;
        return { reason: 'resource', uri: expanded.uri, error: thrown.toWire() };
      }
    }
    return undefined;
  }

  function* callStep(
    index: number,
    { tool, arguments: templates = {} }: WorkflowStep,
  ): Program<Stop | undefined> {
    if (tool === undefined) {
      states[index] = { status: 'shown' };
      return undefined;
    }
    const expanded = expandArguments(templates, scopeOf(workflow, args, states));
    if (expanded.kind === 'too_large') return tooLarge('the arguments');
    const stop = stopFor(expanded.missing);
    if (stop !== undefined) return stop;
    const outcome = yield* callTool<ToolOutcome>(tool, expanded.args);
    const call = { source: 'server', turn: index + 1, arguments: expanded.args } as const;
    switch (outcome.kind) {
      case 'completed':
        states[index] = { ...call, status: 'completed', ...keepOutput(outcome.output, states) };
        return undefined;
      case 'too_long':
        states[index] = { ...call, status: 'completed', output: undefined, length: outcome.length };
        return undefined;
      case 'failed':
        states[index] = { ...call, status: 'failed', error: outcome.error, repeat: outcome.repeat };
        return { reason: 'failed' };
      case 'refused':
        return {
          reason: 'refused',
          problems: outcome.problems.map(({ field, problem }) =>
            field === '' ? problem : `${field}: ${problem}`,
          ),
        };
      case 'delegated':
        states[index] = {
          ...call,
          status: 'delegated',
          taskId: outcome.taskId,
          directive: outcome.directive,
        };
        return { reason: 'delegated' };
      case 'working':
        states[index] = { ...call, status: 'delegated', taskId: outcome.taskId, directive: undefined };
        return { reason: 'delegated' };
      case 'out_of_time':
      case 'interrupted':
        return { reason: outcome.kind };
    }
  }
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
  return {
    reason: 'unresolved',
    problems: missing.map(
      ({ argument, step, field }) =>
        `'${argument}' needs the field '${field}' of step '${step}', whose output lacks it`,
    ),
  };
}

function tooLarge(what: string): Stop {
  return {
    reason: 'unresolved',
    problems: [`${what} would be longer than ${MAX_EXPANDED_LENGTH} characters`],
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
