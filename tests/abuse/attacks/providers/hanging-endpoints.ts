import { FakeLlmServer, VALID_ANSWER } from '../../../fake-llm/llm-server.ts';
import type { Attack } from '../../target/attack.ts';
import { createEndpointTenant } from './endpoint-role.ts';

/** Of one tenant at once, by default. */
const OF_TENANT = 16;
/** Of the worker. */
const OF_WORKER = 20;

/** A tenant whose endpoint never answers keeps others from theirs, and from the resumes of their tasks. */
export const hangingEndpoints: Attack = {
  name: 'endpoints that never answer',
  environment: { BATON_EGRESS_ALLOW: '127.0.0.0/8', BATON_PROVIDER_CALLS: `${OF_WORKER}` },
  // A tenant has as many turns as it asks for.
  withoutGuard: [{ file: 'lua/include/provider_calls.lua', from: '- held\n', to: '+ 1000\n' }],
  async run(target) {
    const llm = await FakeLlmServer.start(({ topic }) => (topic === 'hang' ? { do: 'hang' } : VALID_ANSWER));
    try {
      const attacker = await createEndpointTenant(target, llm.url);
      const hanging = Array.from({ length: 2 * OF_WORKER }, () =>
        target.callTool(attacker, 'bench_echo', { text: 'hang' }).catch(() => {}),
      );
      await llm.waitUntil(() => llm.openCalls >= OF_TENANT);
      const gains: string[] = [];
      const victim = await createEndpointTenant(target, llm.url);
      const { key } = await target.createKey(await target.createTenant());
      const { interactionId } = await target.delegate(key);
      const agentLLMResponse = { status: 'success', data: { text: 'x' } };
      const resumed = await target.callTool(key, 'agent_llm', {
        interactionId,
        agentLLMResponse,
        waitMs: 20_000,
      });
      if (resumed.content?.outcome?.status !== 'completed')
        gains.push('a task of another tenant is not resumed');
      const answered = await target.callTool(victim, 'bench_echo', { text: 'quick' });
      if (answered.content?.status !== 'completed') gains.push("another tenant's endpoint is not called");
      if (llm.openCalls > OF_TENANT) gains.push(`${llm.openCalls} calls of one tenant are under way`);
      await Promise.all(hanging);
      return gains;
    } finally {
      await llm.close();
    }
  },
};
