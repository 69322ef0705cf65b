/**
 * Pure: what a workflow is and what becomes of it. `definition` parses one and holds it against the tools, `templates`
 * fills arguments in, `progress` is how one stands, `run` calls the steps' tools up to where it stops, `messages` tells the run as
 * a prompt with its handoff, and `continuation` records what clients do afterwards. No clock, no randomness, no I/O.
 */
export { parseWorkflow } from './definition/parse-workflow.ts';
export {
  type Workflow,
  type WorkflowStep,
  workflowNameSchema,
  workflowSchema,
} from './definition/workflow.ts';
export {
  type ArgumentUse,
  ARGUMENT_PLACEHOLDER,
  OTHER_PLACEHOLDER,
  usesOfArgument,
} from './definition/uses-of-argument.ts';
export type { ArgumentProblem, FindTool, WorkflowTool } from './definition/workflow-tool.ts';
export {
  type ChildEnd,
  newProgress,
  type WorkflowInput,
  type WorkflowProgress,
} from './progress/workflow-progress.ts';
export {
  changeBetween,
  parseProgress,
  type ProgressChange,
  type StoredProgress,
} from './progress/stored-progress.ts';
export { settleChildren } from './progress/settle-children.ts';
export { MAX_OUTPUT_LENGTH, MAX_KEPT_LENGTH } from './progress/truncate-step-state.ts';
export type { Move, RunChange } from './run/move.ts';
export { applyRunChange } from './run/apply-run-change.ts';
export { runSteps } from './run/run-steps.ts';
export type { StepState } from './progress/step-state.ts';
export type { EmbeddedResource, ToolOutcome } from './progress/tool-outcome.ts';
export { traceMessages } from './messages/trace.ts';
export { callForDelegated } from './messages/handoff.ts';
export { remainingCalls, type RemainingCall } from './messages/remaining-calls.ts';
export type { PromptMessage } from './messages/prompt-message.ts';
export { type ClientCall, recordCall, type RecordedCall } from './continuation/record-call.ts';
export { workflowVariables } from './progress/workflow-variables.ts';
