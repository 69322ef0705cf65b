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
  'workflow-any-order': {
    says: 'The plan is guidance: a call for a workflow runs as ever, whatever the order and the arguments.',
    source: 'seed 2, Tool-to-task reconnection',
  },
  'workflow-match': {
    says: 'A call counts for a remaining step of its tool; of several for the one with most equal arguments, then the first.',
    source: 'seed 2, Tool-to-task reconnection; contract, Workflows',
  },
  'workflow-extra': {
    says: 'A call of any other tool is recorded as _workflow.extra.<tool>.',
    source: 'seed 2, Tool-to-task reconnection',
  },
  'workflow-last-wins': {
    says: 'A repeat replaces the result of its step: the last result wins.',
    source: 'seed 2, Tool-to-task reconnection',
  },
  'workflow-progress': {
    says: '_workflow.progress is updated with each call that is recorded.',
    source: 'seed 2, Tool-to-task reconnection',
  },
  'workflow-failed-call': {
    says: 'A call that fails is recorded as failed, and its step stays open.',
    source: 'contract, Workflows',
  },
  'workflow-client-ends': {
    says: 'The task stays working when its client has done every step, until the client completes it.',
    source: 'seed 2, Completion semantics',
  },
  'workflow-never-blocks': {
    says: 'A task id that is unknown, foreign, ended or of any wrong type never stops a call: its result says that nothing was recorded.',
    source: "seed 2, Claude's discretion; contract, Workflows",
  },
  'workflow-child': {
    says: 'A step that delegates is recorded when its task ends, wherever the answer came in, exactly once.',
    source: 'contract, Workflows',
  },
  'workflow-variables': {
    says: 'Goal, steps, variables and what remains stand in task_status and in the resource of the task, whose subscribers hear of each change.',
    source: "seed 2, Claude's discretion; contract, Workflows",
  },
  'workflow-resume': {
    says: 'A workflow goes on server-side from its first open step, with what is known by now.',
    source: 'seed 2, Deferred Ideas (ADVW-02)',
  },
  'workflow-task-variables': {
    says: "Steps read the task's variables.",
    source: 'seed 2, Deferred Ideas (ADVW-01)',
  },
} as const satisfies Record<string, Requirement>;
