import type { Requirement } from './mcp-requirements.ts';

/**
 * What seed 2 ("Structured Handoff and Client Continuation") decides of workflows, as data: each sentence is cited by at least
 * one test over the wire, as those of `mcp-requirements.ts` are. `source` names the seed's section; "contract" is the wire contract's.
 */
export const WORKFLOW_REQUIREMENTS = {
  'workflow-trace': {
    says: 'The messages are a conversation of user and assistant: the wish, the plan, each call and its result, the handoff.',
    source: 'seed 2, Handoff message shape; contract, Workflows',
  },
  'workflow-assistant-handoff': {
    says: 'A run that pauses ends with one assistant message: why it stopped, and then the calls that continue it.',
    source: 'seed 2, Handoff message shape',
  },
  'workflow-lean-meta': {
    says: 'The _meta of the result holds task_id and task_status, and nothing else of Baton.',
    source: 'seed 2, Handoff message shape; contract, Workflows',
  },
  'workflow-no-summary': {
    says: 'What is done stands in the trace as a call and its result, and the handoff does not repeat it.',
    source: 'seed 2, Handoff message shape',
  },
  'workflow-remaining-steps': {
    says: 'Each remaining step has its tool, the arguments that are known, and its guidance.',
    source: 'seed 2, Remaining step guidance',
  },
  'workflow-placeholders': {
    says: 'What a step needs of the output of another that has not run is a placeholder that names it.',
    source: 'seed 2, Remaining step guidance',
  },
  'workflow-task-id-in-meta': {
    says: 'The id of the task stands in _meta, and never in the text.',
    source: 'seed 2, Remaining step guidance',
  },
  'workflow-auto-complete': {
    says: 'When all steps succeed during the prompt, the task is completed with the number of steps and their results.',
    source: 'seed 2, Completion semantics; contract, Workflows',
  },
  'workflow-stays-working': {
    says: 'When a step is left, the task stays working after the prompt.',
    source: 'seed 2, Completion semantics',
  },
  'workflow-stops': {
    says: 'The run stops at the first step that fails, that cannot be resolved, whose arguments do not fit, or that delegates.',
    source: 'contract, Workflows',
  },
  'workflow-retryable': {
    says: 'A failed step comes first in the handoff, marked as retryable or not.',
    source: 'contract, Workflows',
  },
  'workflow-json-types': {
    says: 'Arguments keep the JSON types of the values that bindings fill in.',
    source: 'contract, Workflows',
  },
} as const satisfies Record<string, Requirement>;
