import { type Awaited, type Entry, replayProgram } from '@baton/engine';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { WorkflowTool } from '../definition/workflow-tool.ts';
import type { WorkflowRun } from '../run/step-state.ts';
import type { EmbeddedResource, ToolOutcome } from '../run/tool-outcome.ts';
import { type WorkflowInput, workflowProgram, workflowRunOf } from '../run/workflow-program.ts';

/** The tools and resources of a test. */
export interface SimulatedGateway {
  callTool(tool: string, args: JsonObject): ToolOutcome;
  readResource?(uri: string): EmbeddedResource;
}

/** Runs a workflow to its end, over `journal`, which receives each outcome as text would keep it. */
export function runWorkflowInMemory(
  input: WorkflowInput,
  gateway: SimulatedGateway,
  journal: Map<string, Entry> = new Map(),
): WorkflowRun {
  for (;;) {
    const step = replayProgram(workflowProgram, input, journal);
    if (step.status === 'failed') throw step.thrown;
    if (step.status === 'completed') return workflowRunOf(step.result);
    for (const awaited of step.awaited) {
      journal.set(awaited.path, JSON.parse(JSON.stringify(perform(awaited, gateway))) as Entry);
    }
  }
}

function perform({ effect }: Awaited, gateway: SimulatedGateway): Entry {
  const { kind } = effect;
  try {
    if (effect.kind === 'tool')
      return { kind, ok: true, value: gateway.callTool(effect.tool, effect.arguments) };
    if (effect.kind === 'resource') return { kind, ok: true, value: gateway.readResource?.(effect.uri) };
    throw new Error(`a workflow never asks for '${kind}'`);
  } catch (thrown) {
    if (thrown instanceof BatonError) return { kind, ok: false, error: thrown.toWire() };
    throw thrown;
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
