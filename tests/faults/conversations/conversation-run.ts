import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { JourneyDeployment } from '../../journey/deployment/journey-deployment.ts';
import { FaultInjector } from '../../journey/faults/fault-injector.ts';
import { TriggerEventEmitter } from '../../journey/faults/trigger-event-emitter.ts';
import { RetryingClient } from '../clients/retrying-client.ts';
import { checkConversation } from './check-conversation.ts';
import { planFaults, planTurns, SPECIALISTS } from './conversation-plan.ts';
import type { PlannedTurn, RunTurn } from './planned-turn.ts';
import { ScriptedTeam } from './scripted-team.ts';

/** How long a turn may take, its recalls and the restarts of killed processes included. */
const TURN_MS = 180_000;
const SLOW_MACHINE_MS = 600_000;

export interface ConversationResult {
  readonly figures: string;
  readonly violations: readonly string[];
}

/** One conversation with specialists through two gateways and two workers, which are killed by the seed. */
export async function runConversation(seed: number, entry: string): Promise<ConversationResult> {
  const events = new TriggerEventEmitter();
  const deployment = await JourneyDeployment.start(entry, undefined, events);
  try {
    await putAgents(deployment);
    const plan = planTurns(seed);
    const faults = { faults: planFaults(seed) };
    const injector = new FaultInjector(faults, events, deployment, ['worker', 'gateway']);
    const client = new RetryingClient(deployment.urls, deployment.key, (tool, replica) => {
      if (tool === 'ask_assistant' || tool === 'agent_llm')
        events.record('operation-called', `gateway-${replica}`);
      return () => injector.onAttemptEnd();
    });
    const random = seededRandom(`client of conversation ${seed}`);
    const team = new ScriptedTeam(plan, client, random);
    const turns = await runTurns(plan, client, team).catch((error: unknown) => {
      const { lastOutput } = deployment;
      throw new Error([String(error), ...team.violations, ...lastOutput].join('\n      '), { cause: error });
    });
    await deployment.waitUntilRestarted();
    const stored = await deployment.findProjectViolations();
    const against = [...team.violations, ...team.unasked, ...injector.missingFaults, ...stored.violations];
    const counts = (['worker-command', 'gateway-command', 'turn-ended', 'operation-called'] as const).map(
      (event) => `${events.count(event)} ${event}`,
    );
    const failed = plan.filter(({ fails }) => fails).length;
    const figures = `${plan.length} turns, ${failed} of them refused; ${injector.injectedText}; ${counts.join(', ')}`;
    return { figures, violations: [...against, ...(await checkConversation(deployment, client, turns))] };
  } finally {
    await deployment.stop();
  }
}

async function putAgents(deployment: JourneyDeployment): Promise<void> {
  const put = (id: string, more: object) =>
    deployment.rest('PUT', `/agents/${id}`, { id, name: id, ...more }, deployment.key);
  await put('assistant', { instructions: 'You help.', isPrimary: true });
  for (const id of SPECIALISTS) await put(id, { instructions: `You are ${id}.`, timeoutMs: SLOW_MACHINE_MS });
}

/** The turns one after another; one that joins is sent while the one before is open, and waits for its turn. */
async function runTurns(
  plan: readonly PlannedTurn[],
  client: RetryingClient,
  team: ScriptedTeam,
): Promise<RunTurn[]> {
  const ended: RunTurn[] = [];
  const asked = new Map<number, Promise<AnyJson>>();
  let conversationId: string | undefined;
  const ask = ({ number, message }: PlannedTurn) => {
    const args = conversationId === undefined ? { message } : { message, conversationId };
    const reply = asked.get(number) ?? client.call('ask_assistant', args, `turn-${number}`);
    reply.catch(() => {});
    asked.set(number, reply);
    return reply;
  };
  for (const turn of plan) {
    const { taskId } = await ask(turn);
    conversationId ??= taskId;
    const next = plan[turn.number];
    let status: AnyJson;
    for (const begun = performance.now(); ; ) {
      const wasAsked = await team.answerPending(turn, taskId);
      if (wasAsked && next?.joins === true) void ask(next);
      status = await client.call('task_status', { taskId, waitMs: wasAsked ? 0 : 2_000 });
      if (status.status === 'completed' || status.status === 'failed') break;
      if (performance.now() - begun > TURN_MS)
        throw new Error(`turn ${turn.number} has not ended: ${JSON.stringify(status)}`);
      if (!wasAsked) await pause(50);
    }
    ended.push({ plan: turn, taskId, status });
  }
  return ended;
}
