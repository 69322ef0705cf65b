import { BatonError, type JsonObject } from '@baton/protocol';
import type { WorkflowTool } from '../definition/workflow-tool.ts';
import { newProgress, type WorkflowInput, type WorkflowProgress } from '../progress/workflow-progress.ts';
import { applyRunChange } from '../run/apply-run-change.ts';
import type { Move } from '../run/move.ts';
import { runSteps } from '../run/run-steps.ts';
import type { EmbeddedResource, ToolOutcome } from '../progress/tool-outcome.ts';

/** The tools and resources of a test. */
export interface SimulatedGateway {
  callTool(tool: string, args: JsonObject): ToolOutcome;
  readResource?(uri: string): EmbeddedResource;
  look?(taskId: string): ToolOutcome;
  /** Told of each progress as it is recorded. */
  onRecord?(progress: WorkflowProgress): void;
}

/** Runs a workflow from where it stands. */
export function runWorkflowInMemory(
  input: WorkflowInput,
  gateway: SimulatedGateway,
  begun: WorkflowProgress = newProgress(input.workflow),
): WorkflowProgress {
  const run = runSteps(input, begun);
  let progress = begun;
  for (let step = run.next(); ; ) {
    if (step.done) return step.value;
    const move: Move = step.value;
    try {
      if (move.kind === 'record') {
        progress = { ...applyRunChange(input, progress, move.change), revision: progress.revision + 1 };
        gateway.onRecord?.(progress);
        step = run.next(progress);
      } else step = run.next(perform(move, gateway));
    } catch (thrown) {
      if (!(thrown instanceof BatonError)) throw thrown;
      step = run.throw(thrown);
    }
  }
}

function perform(move: Exclude<Move, { kind: 'record' }>, gateway: SimulatedGateway): unknown {
  switch (move.kind) {
    case 'call':
      return gateway.callTool(move.tool, move.arguments);
    case 'look':
      return gateway.look?.(move.taskId);
    case 'read':
      return gateway.readResource?.(move.uri);
  }
}

export const completedOutcome = (output: JsonObject): ToolOutcome => ({ kind: 'completed', output });

/** A tool that takes texts under these names, and a whole number as `count`. */
export function testTool(...names: readonly string[]): WorkflowTool {
  return {
    argumentNames: new Set([...names, 'count']),
    findProblems: (args) => [
      ...Object.entries(args).flatMap(([field, value]) => {
        if (field === 'count')
          return Number.isInteger(value) ? [] : [{ field, problem: 'must be a whole number' }];
        return typeof value === 'string' ? [] : [{ field, problem: 'must be a text' }];
      }),
      ...names
        .filter((field) => !Object.hasOwn(args, field))
        .map((field) => ({ field, problem: 'is missing' })),
    ],
  };
}
