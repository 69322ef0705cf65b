import { type Awaited, type Entry, formatEntry, parseEntry, replayProgram } from '@baton/engine';
import { BatonError, type JsonObject, toBatonError } from '@baton/protocol';
import {
  type EmbeddedResource,
  MAX_OUTPUT_LENGTH,
  MAX_OUTPUTS_LENGTH,
  type ToolOutcome,
  type WorkflowInput,
  workflowProgram,
  type WorkflowRun,
  workflowRunOf,
} from '@baton/workflows';
import type { AdmittedCall } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { readResource } from '../resources/read-resource.ts';
import type { Tool } from '../tools/tool.ts';
import { callStep } from './call-step.ts';

/** A step that has not begun after so long is handed off: clients cut calls at 60 s, and a tool may hold one for 10 s. */
const RUN_BUDGET_MS = 20_000;

/** One run of a workflow in this gateway, for its caller and in its task. */
export class WorkflowExecution {
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly call: AdmittedCall;
  private readonly log: (error: unknown) => void;
  private readonly begunAt = performance.now();
  /** Characters of outcomes that the journal still takes. */
  private left = MAX_OUTPUTS_LENGTH;

  constructor(tools: ReadonlyMap<string, Tool>, call: AdmittedCall, log: (error: unknown) => void) {
    this.tools = tools;
    this.call = call;
    this.log = log;
  }

  /**
   * Runs the steps of a task from where its journal stands, and records each outcome before the next begins. A step that was
   * cut off is called again under the same idempotency key, so that what it changed it changes once.
   * Errors: `task_ended`, `unavailable`.
   */
  async run(
    input: WorkflowInput,
    taskId: string,
    journal: ReadonlyMap<string, string>,
  ): Promise<WorkflowRun> {
    const { identity, tenant } = this.call;
    return advance(input, parseJournal(journal), async ({ path, effect }) => {
      const text = formatEntry(await this.perform(effect, `workflow ${taskId} ${path}`));
      return parseEntry(await tenant.workflowTasks.recordStep(identity, taskId, path, text));
    });
  }

  /** The run of a task that has ended, as far as its journal has it: no tool is called. */
  async recall(input: WorkflowInput, journal: ReadonlyMap<string, string>): Promise<WorkflowRun> {
    return advance(input, parseJournal(journal), async ({ effect }) =>
      effect.kind === 'tool' ? toolEntry({ kind: 'interrupted' }) : this.perform(effect, ''),
    );
  }

  private async perform(effect: Awaited['effect'], idempotencyKey: string): Promise<Entry> {
    if (effect.kind === 'tool')
      return toolEntry(this.bounded(await this.callTool(effect.tool, effect.arguments, idempotencyKey)));
    if (effect.kind === 'resource') return this.embed(effect.uri);
    throw new BatonError('internal', `A workflow never asks for '${effect.kind}'.`);
  }

  private async callTool(tool: string, args: JsonObject, idempotencyKey: string): Promise<ToolOutcome> {
    const isLate = performance.now() - this.begunAt >= RUN_BUDGET_MS;
    if (isLate || this.call.signal().aborted) return { kind: 'out_of_time' };
    return callStep(this.tools, { tool, args, idempotencyKey }, this.call, this.log);
  }

  private async embed(uri: string): Promise<Entry> {
    try {
      const { contents } = await readResource(uri, this.call);
      const resource = contents[0] as unknown as EmbeddedResource;
      if (this.take(JSON.stringify(resource).length)) return { kind: 'resource', ok: true, value: resource };
      throw new BatonError('limit_size', 'The resource is larger than what a workflow may embed.');
    } catch (thrown) {
      const error =
        thrown instanceof RpcError ? new BatonError('not_found', thrown.message) : toBatonError(thrown);
      return { kind: 'resource', ok: false, error: error.toWire() };
    }
  }

  /** An output that the journal has no room for is told by its length. */
  private bounded(outcome: ToolOutcome): ToolOutcome {
    if (outcome.kind !== 'completed') return outcome;
    const { length } = JSON.stringify(outcome.output);
    return this.take(length) ? outcome : { kind: 'too_long', length };
  }

  private take(length: number): boolean {
    if (length > MAX_OUTPUT_LENGTH || length > this.left) return false;
    this.left -= length;
    return true;
  }
}

function parseJournal(journal: ReadonlyMap<string, string>): Map<string, Entry> {
  return new Map([...journal].map(([path, text]) => [path, parseEntry(text)]));
}

const toolEntry = (value: ToolOutcome): Entry => ({ kind: 'tool', ok: true, value });

/** Replays the run over its journal, and has `perform` give each outcome that is not there. */
async function advance(
  input: WorkflowInput,
  journal: Map<string, Entry>,
  perform: (awaited: Awaited) => Promise<Entry>,
): Promise<WorkflowRun> {
  for (;;) {
    const step = replayProgram(workflowProgram, input, journal);
    if (step.status === 'failed') throw step.thrown;
    if (step.status === 'completed') return workflowRunOf(step.result);
    for (const awaited of step.awaited) journal.set(awaited.path, await perform(awaited));
  }
}
