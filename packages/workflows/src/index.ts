/**
 * Pure: what a workflow is and what becomes of it. `definition` parses one and holds it against the tools, `templates`
 * fills arguments in, `run` is the program that calls the steps' tools up to where it stops, `messages` tells the run as a
 * prompt with its handoff, and `continuation` records what clients do afterwards. No clock, no randomness, no I/O.
 */
export { parseWorkflow } from './definition/parse-workflow.ts';
export {
  type Workflow,
  type WorkflowStep,
  workflowNameSchema,
  workflowSchema,
} from './definition/workflow.ts';
export type { ArgumentProblem, FindTool, WorkflowTool } from './definition/workflow-tool.ts';
export { type WorkflowInput, workflowProgram, workflowRunOf } from './run/workflow-program.ts';
export type { StepState, WorkflowRun } from './run/step-state.ts';
export type { EmbeddedResource, ToolOutcome } from './run/tool-outcome.ts';
export { traceMessages } from './messages/trace.ts';
export type { PromptMessage } from './messages/prompt-message.ts';
export {
  type ClientCall,
  recordCall,
  type RecordedProgress,
  type WorkflowProgress,
} from './continuation/record-call.ts';
export { MAX_OUTPUT_LENGTH, MAX_OUTPUTS_LENGTH } from './run/kept-output.ts';
export { workflowVariables } from './continuation/variables.ts';
