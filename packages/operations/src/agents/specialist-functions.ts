import { readAgentDefinition, type Specialist } from '@baton/agent-definitions';
import {
  checkAnswer,
  type FunctionResult,
  type FunctionSet,
  type Program,
  runAgentCall,
} from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import { ownSettingsOf, systemMessageOf, wordsParser } from './agent-call-settings.ts';
import { readTaskMessage } from './message-content.ts';

/** How long a specialist may take for each answer, from when an agent was shown its request. */
const SPECIALIST_TIMEOUT_MS = 30_000;

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
      const called = specialists.find(({ id }) => id === name);
      // As it is now: it may have been disabled since the primary was told of it.
      const agent = yield* readAgentDefinition(name);
      if (!agent.enabled) return { ok: false, error: `The agent '${name}' is disabled.` };
      // Where an agent has no parameters of its own, no thread has to check what it takes.
      const checked =
        agent.parameters === undefined ? undefined : yield* checkAnswer(called?.parameters ?? {}, args);
      const asked = checked?.ok === false ? checked : readTaskMessage(agent, args);
      if (!asked.ok)
        return { ok: false, error: `The arguments of '${name}' do not fit its parameters: ${asked.problem}` };
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

function failureOf(name: string, { code, message }: BatonError): string {
  if (code === 'interaction_expired') return `The agent '${name}' did not answer in time.`;
  return `The agent '${name}' failed: ${code}: ${message}`;
}
