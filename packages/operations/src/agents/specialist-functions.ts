import {
  type AgentDefinition,
  parametersOf,
  readAgentDefinition,
  type Specialist,
} from '@baton/agent-definitions';
import {
  checkAnswer,
  type FunctionResult,
  type FunctionSet,
  type Program,
  runAgentCall,
} from '@baton/engine';
import { BatonError, canonicalJson, type Json, type JsonObject, truncate } from '@baton/protocol';
import { ownSettingsOf, systemMessageOf, wordsParser } from './agent-call-settings.ts';
import { readTaskMessage } from './message-content.ts';

/** How long a specialist may take for each answer, from when an agent was shown its request. */
const SPECIALIST_TIMEOUT_MS = 30_000;

/** Characters of an error that tells changed parameters. */
const MAX_MISFIT_LENGTH = 500;
const MAX_PARAMETERS_LENGTH = 1_400;

/**
 * Specialists as functions of another agent's call, under their ids. Each call is a request of its own, with the specialist's
 * instructions and model; a specialist calls nobody (depth 1). One that is unknown, disabled, late or fails gives an error result.
 */
export function specialistFunctions(specialists: readonly Specialist[]): FunctionSet {
  return {
    tools: specialists.map(({ id, description, parameters }) => ({
      type: 'function',
      function: { name: id, description, parameters: parameters as { [keyword: string]: Json } },
    })),
    *run({ name, arguments: args }): Program<FunctionResult> {
      const offered = specialists.find(({ id }) => id === name)?.parameters;
      // One version has both the instructions and the parameters, whichever was offered.
      const agent = yield* readAgentUnlessDeleted(name);
      if (agent === undefined) return { ok: false, error: `There is no agent '${name}' any more.` };
      if (!agent.enabled) return { ok: false, error: `The agent '${name}' is disabled.` };
      // Where an agent has no parameters of its own, no thread has to check what it takes.
      const checked = agent.parameters === undefined ? undefined : yield* checkAnswer(agent.parameters, args);
      const asked = checked?.ok === false ? checked : readTaskMessage(agent, args);
      if (!asked.ok) return { ok: false, error: misfitOf(agent, asked.problem, offered) };
      try {
        const { value, content, attempts } = yield* runAgentCall({
          ...ownSettingsOf(agent),
          messages: [systemMessageOf(agent), asked.value],
          summary: `Call of agent ${name}`,
          parser: wordsParser,
          delivery: { agentId: name, answerWithinMs: agent.timeoutMs ?? SPECIALIST_TIMEOUT_MS },
        });
        const { unsupportedHints } = attempts.at(-1) ?? {};
        return { ok: true, result: value, content, ...(unsupportedHints && { unsupportedHints }) };
      } catch (thrown) {
        if (!(thrown instanceof BatonError)) throw thrown;
        return { ok: false, error: failureOf(name, thrown) };
      }
    },
  };
}

function* readAgentUnlessDeleted(id: string): Program<AgentDefinition | undefined> {
  try {
    return yield* readAgentDefinition(id);
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'agent_not_found') return undefined;
    throw thrown;
  }
}

/** What does not fit; parameters that were changed since they were offered are told, since the request shows the old ones. */
function misfitOf(agent: AgentDefinition, problem: string, offered: JsonObject | undefined): string {
  const misfit = `The arguments of '${agent.id}' do not fit its parameters: ${problem}`;
  const current = canonicalJson(parametersOf(agent));
  if (offered !== undefined && current === canonicalJson(offered)) return misfit;
  return `${truncate(misfit, MAX_MISFIT_LENGTH)}. They were changed, and are now ${truncate(current, MAX_PARAMETERS_LENGTH)}`;
}

function failureOf(name: string, { code, message }: BatonError): string {
  if (code === 'interaction_expired') return `The agent '${name}' did not answer in time.`;
  return `The agent '${name}' failed: ${code}: ${message}`;
}
