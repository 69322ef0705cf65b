import type { Attack } from '../../target/attack.ts';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

const RATE = { requestsPerSecond: 1, burst: 60 };

/** A key posts junk as answers, chunks of one, and whatever else it may, until nothing is left of its tenant's rate for other keys. */
export const tenantRateExhaustion: Attack = {
  name: 'one key that uses up its tenant’s rate',
  withoutGuard: [
    { file: 'lua/interaction/append_chunk.lua', from: 'admit(now,', to: 'authenticate(now,' },
    { file: 'lua/include/answer_rate.lua', from: 'wait and wait.due > now and A_floor or 0', to: 'A_floor' },
    {
      file: 'lua/include/rate.lua',
      from: 'if until_share > 0 and until_spare > 0 then',
      to: 'if tokens < 1 - debt * burst then',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const tenant = await target.createTenant(RATE);
    const [victim, mole] = [await key(target, tenant, 'victim'), await key(target, tenant, 'mole')];
    const { interactionId } = await target.delegate(victim);
    const streamed = await target.delegate(mole, {}, { serviceType: 'streamText' });

    const calls = await repeat(target, mole, 'list_tags', { projectRoot: 'p' });
    if (calls > RATE.burst) gains.push(`${calls} calls were admitted of ${RATE.burst}`);
    const junk = await repeat(target, mole, 'agent_llm', answer('00000000-0000-8000-8000-000000000001'));
    if (junk > 2) gains.push(`${junk} junk answers were admitted beyond the rate`);
    const chunk = { status: 'streaming', sequence: 0, delta: 'x' };
    const chunks = await repeat(target, mole, 'agent_llm', { ...streamed, agentLLMResponse: chunk });
    if (chunks > 2) gains.push(`${chunks} chunks were admitted beyond the rate`);
    if ((await status(target, victim, 'list_tags', { projectRoot: 'p' })) !== 200)
      gains.push('another key’s call is refused');
    if ((await status(target, victim, 'agent_llm', answer(interactionId))) !== 200)
      gains.push('another key’s answer is refused');
    return gains;
  },
};

async function key(target: AttackedDeployment, tenant: string, principal: string): Promise<string> {
  return (await target.createKey(tenant, { principal })).key;
}

const answer = (interactionId: string) => ({
  interactionId,
  agentLLMResponse: { status: 'success', data: { text: 'x' } },
  waitMs: 0,
});

async function status(
  target: AttackedDeployment,
  caller: string,
  tool: string,
  args: object,
): Promise<number> {
  return (await target.callTool(caller, tool, args)).status;
}

/** How often a call is admitted before one is refused for the rate. */
async function repeat(
  target: AttackedDeployment,
  caller: string,
  tool: string,
  args: object,
): Promise<number> {
  for (let calls = 0; calls < 20 * RATE.burst; calls++)
    if ((await status(target, caller, tool, args)) === 429) return calls;
  return 20 * RATE.burst;
}
