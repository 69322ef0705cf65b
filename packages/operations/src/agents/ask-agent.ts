import {
  type AgentDefinition,
  agentIdSchema,
  readAgentDefinition,
  readAgentCatalog,
} from '@baton/agent-definitions';
import { type Program, runAgentCall } from '@baton/engine';
import { BatonError, type JsonObject, type Message } from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';
import { ownSettingsOf, systemMessageOf, wordsParser } from './agent-call-settings.ts';
import { agentCallFields, agentCallResult } from './agent-result.ts';
import { callableBy } from './ask-assistant.ts';
import { readTaskMessage } from './message-content.ts';
import { specialistFunctions } from './specialist-functions.ts';

const input = z.strictObject({ agentId: agentIdSchema, arguments: z.record(z.string(), z.unknown()) });
type Input = z.infer<typeof input>;

const result = z.looseObject({ agentId: z.string(), ...agentCallFields });

/**
 * One specialist by itself, which the tool `agent_<id>` starts; the arguments have been checked against its parameters. It may call the
 * specialists of its group, if it has one.
 */
export const askAgentOperation: Operation<Input, z.infer<typeof result>> = {
  name: 'ask_agent',
  version: 1,
  title: 'Ask an agent',
  category: 'agents',
  description: 'Gives a task to one of the specialist agents of the tenant, and returns its answer.',
  input,
  result,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },

  run: askSpecialist,

  summarize: ({ response }) => String(response),
};

function* askSpecialist({ agentId, arguments: args }: Input): Program<JsonObject> {
  const agent = yield* readAgentDefinition(agentId);
  if (!agent.enabled) throw new BatonError('agent_not_found', `The agent '${agentId}' is disabled.`);
  const callable =
    agent.group === undefined ? [] : callableBy(agent, (yield* readAgentCatalog()).specialists);
  const asked = requireTaskMessage(agent, args as JsonObject);
  const outcome = yield* runAgentCall({
    ...ownSettingsOf(agent),
    messages: [systemMessageOf(agent), asked],
    summary: `Call of agent ${agentId}`,
    parser: wordsParser,
    ...(callable.length === 0 ? {} : { functions: specialistFunctions(callable) }),
    delivery: {
      agentId,
      ...(agent.timeoutMs === undefined ? {} : { answerWithinMs: agent.timeoutMs }),
    },
  });
  const ended = agentCallResult(outcome, `agent:${agentId}`, [asked]);
  return { agentId, ...ended } as unknown as JsonObject;
}

/** The arguments fit its schema, which says little of blocks of content. Errors: `invalid_arguments`. */
function requireTaskMessage(agent: AgentDefinition, args: JsonObject): Message {
  const read = readTaskMessage(agent, args);
  if (read.ok) return read.value;
  throw new BatonError('invalid_arguments', read.problem, { field: read.problem.split(':')[0] });
}
