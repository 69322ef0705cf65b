import type { Requirement } from './mcp-requirements.ts';

/**
 * What seeds 3 ("Agent Delegation Architecture Design") and 4 ("Agent Call") decide of agents, as data: each sentence is cited by at
 * least one test over the wire, as those of `mcp-requirements.ts` are. `source` names the seed's section, and its item or row.
 */
export const AGENT_REQUIREMENTS = {
  'primary-takes-messages': {
    says: 'The primary agent takes every message, with its instructions, and is always active.',
    source: 'seed 3, Agent Types 1; Agent States, State Logic',
  },
  'primary-has-tools': {
    says: 'The primary is given the enabled specialists as callable functions.',
    source: 'seed 3, Agent Types 1; Phase 1, items 1 and 2; Implementation Tasks 5',
  },
  'specialist-not-active': {
    says: 'Specialists are enabled or disabled: an enabled one is a tool, a disabled one is not available.',
    source: 'seed 3, Agent Types 2; Agent States, State Logic; UI Elements',
  },
  'specialist-returns': {
    says: 'A specialist returns its result to the primary, which answers from it.',
    source:
      'seed 3, Agent Types 2; Delegation Flow; Phase 1, item 4; Implementation Tasks 7 and 8; Benefits 2',
  },
  'agent-fields': {
    says: 'An agent has id, name, instructions, personality, model, enabled, is primary, web search.',
    source: 'seed 3, Agent States; Implementation Tasks 3',
  },
  'answer-directly': {
    says: 'What the primary can answer itself it answers, without a specialist.',
    source: 'seed 3, Delegation Flow',
  },
  'tool-definition': {
    says: 'A function is defined by type, and name, description and parameters as JSON Schema.',
    source: 'seed 3, Phase 2; seed 4, Function Calls, MCP, and Tools',
  },
  'tool-call-message': {
    says: 'A call is an assistant message without content, with id, type, and function with name and arguments as text.',
    source: 'seed 3, Phase 2',
  },
  'tool-routing': {
    says: 'A call is routed by its name to that specialist, whose answer is a tool message under the id of the call.',
    source: 'seed 3, Phase 1, item 3; Phase 3; Implementation Tasks 6',
  },
  'unknown-tool': { says: 'A call of a tool that is unknown is handled.', source: 'seed 3, Phase 3' },
  'primary-no-toggle': {
    says: 'The primary cannot be disabled.',
    source: 'seed 3, UI Elements; Implementation Tasks 4',
  },
  'agents-from-files': {
    says: "Agents come from JSON files as Rustbot's are.",
    source: 'seed 3, Migration Path, Current State',
  },
  'agents-over-mcp': {
    says: 'Agents are tools over MCP, and are found there.',
    source: 'seed 3, Benefits 4; Future; Decision 4',
  },
  'depth-one': {
    says: 'Specialists call nobody: the depth is one level.',
    source: 'seed 3, Open Questions 1 and 2',
  },
  'tool-timeout': {
    says: 'A specialist has 30 s by default.',
    source: 'seed 3, Open Questions 3',
  },
  'usage-of-delegated-calls': {
    says: 'What delegated calls cost is added up.',
    source: 'seed 3, Open Questions 4',
  },
  'call-input': {
    says: 'An agent call begins with a dialog, seeded with a top-level prompt, which the dialog remembers.',
    source: 'seed 4, LLM Call vs. Agent Call, Input; State Machine Lifecycle 1 and 2',
  },
  'call-output': {
    says: 'An agent call gives its parsed response, the dialog as it is then, and the trace of function calls.',
    source: 'seed 4, LLM Call vs. Agent Call, Output; State Machine Lifecycle 5',
  },
  'call-determinism': {
    says: 'An agent call ends in its next state or in an explicit error.',
    source: 'seed 4, LLM Call vs. Agent Call, Responsibility and Determinism',
  },
  'call-history': {
    says: 'Each request carries the history of its dialog, and the functions.',
    source: 'seed 4, State Machine Lifecycle 3',
  },
  'call-functions': {
    says: 'The functions that an answer calls are run, a message tells their results, and the loop goes on.',
    source: 'seed 4, State Machine Lifecycle 4, first item',
  },
  'exception-retry': {
    says: 'An answer that does not parse is asked for again with the error message, up to a number of times.',
    source: 'seed 4, State Machine Lifecycle 4, second item; Interrupt vs. Exception Handling',
  },
  'exception-pruned': {
    says: 'The branch of an exception is pruned after it was handled.',
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'recall-backoff': {
    says: 'A failure that may pass is recalled after an exponential back-off.',
    source: 'seed 4, State Machine Lifecycle 4, third item',
  },
  'error-report': {
    says: 'A call that fails leaves a structured report of its errors.',
    source: 'seed 4, State Machine Lifecycle 4, third item',
  },
  'interrupt-stays': {
    says: 'The branch of an interrupt stays in the dialog.',
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'interrupt-final': {
    says: 'A last prompt asks to stop calling functions and to answer in words.',
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'agent-hints': {
    says: 'Hints for the side of the model, such as web search, reach whoever makes the call.',
    source: 'seed 4, Function Calls, MCP, and Tools',
  },
  'function-call-trace': {
    says: 'Each function call is kept with arguments, result, result_str and error_message.',
    source: 'seed 4, Function Calls, MCP, and Tools',
  },
  'function-call-repeated': {
    says: 'A repeated call is marked as such, and not run again.',
    source: 'seed 4, Function Calls, MCP, and Tools',
  },
  'classifier-prompt': {
    says: 'A classifier asks by a prompt of its own for one token of the given classes.',
    source: 'seed 4, Classification Helpers 1 and 2',
  },
  'classifier-probabilities': {
    says: 'A classifier gives calibrated probabilities from the logprobs.',
    source: 'seed 4, Classification Helpers 3',
  },
  'classifier-loop': {
    says: 'A classifier is asked again after an answer of no class, as every agent call is.',
    source: 'seed 4, Classification Helpers',
  },
  'agent-group': {
    says: 'An agent names a group of agents that it may call.',
    source: 'seed 4, Implementing Custom Agents 1',
  },
  'agent-registers': {
    says: 'An agent is available once it is stored.',
    source: 'seed 4, Implementing Custom Agents; seed 3, Benefits 3',
  },
  'prompt-arguments': {
    says: 'A call takes arguments of its prompt and of its parser.',
    source: 'seed 4, LLM Call vs. Agent Call, Input',
  },
  'prompt-api': {
    says: 'The API, chat completions or responses, is chosen by what the prompt needs.',
    source: 'seed 4, State Machine Lifecycle 3',
  },
  'exception-handler': {
    says: "A prompt's exception handler receives {error_message}.",
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'interrupt-handler': {
    says: "A prompt's interrupt handler receives {call_results}.",
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'handlers-inherit': {
    says: "Handlers inherit the prompt's parser, tags and functions.",
    source: 'seed 4, Interrupt vs. Exception Handling',
  },
  'prompt-functions': {
    says: 'A prompt bundles functions, MCP server descriptors, web search and computer use.',
    source: 'seed 4, Function Calls, MCP, and Tools',
  },
  'agent-task': {
    says: 'An agent is called with a task, and gives its result.',
    source: 'seed 4, LLM Call vs. Agent Call, .call(task)',
  },
  'agent-leads': {
    says: 'The call of an agent leads the dialogs with the agents that it calls, and gives one result.',
    source: 'seed 4, Implementing Custom Agents 3',
  },
  'agent-prompts': {
    says: 'A prompt names the agents that do parts of its task.',
    source: 'seed 4, Implementing Custom Agents 2',
  },
  'agent-states-shown': {
    says: 'Whoever lists agents sees which one is the primary, and which are enabled; one call enables or disables a specialist.',
    source: 'seed 3, UI Elements',
  },
  'primary-one': {
    says: 'There is one primary, and another agent can take its place.',
    source: 'seed 3, Migration Path, Target State',
  },
  'call-forms': {
    says: 'Calls of functions are read as the providers write them, OpenRouter as well.',
    source: 'seed 3, Decision 2; Benefits 1 and 5',
  },
} as const satisfies Record<string, Requirement>;
