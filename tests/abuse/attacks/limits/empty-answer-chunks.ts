import { RedisMonitor } from '../../../harness/redis-monitor.ts';
import type { Attack } from '../../target/attack.ts';

const CHUNKS = 300;
const LIMITS = { requestsPerSecond: 1_000_000, burst: 1_000_000, answerBytes: 8_192 };

/** Work that is out of all proportion to what was sent: empty chunks that cost nothing, and a final answer that reads them all. */
export const emptyAnswerChunks: Attack = {
  name: 'chunks that cost nothing and are read each time',
  withoutGuard: [
    {
      file: 'lua/include/chunk_state.lua',
      from: 'state.bytes + math.max(MIN_CHUNK_BYTES, bytes)',
      to: 'state.bytes + bytes',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const attacker = await target.createKey(await target.createTenant(LIMITS));
    const { interactionId } = await target.delegate(attacker.key, {}, { serviceType: 'streamText' });
    let kept = 0;
    // Sequence 0 is left out: the final answer finds a gap.
    for (let sequence = 1; sequence <= CHUNKS; sequence++) {
      const agentLLMResponse = { status: 'streaming', sequence, delta: '' };
      const reply = await target.callTool(attacker.key, 'agent_llm', { interactionId, agentLLMResponse });
      if (reply.json?.result?.isError !== true) kept++;
    }
    if (kept * 64 > LIMITS.answerBytes) gains.push(`${kept} empty chunks were kept`);

    const final = { interactionId, agentLLMResponse: { status: 'success', data: { usage: {} } } };
    const monitor = await RedisMonitor.open(target.redisUrl, { scripts: true });
    const commands = await monitor.commandsOf(async () => {
      for (let n = 0; n < 5; n++) await target.callTool(attacker.key, 'agent_llm', final);
    });
    monitor.close();
    if (commands.some((command) => /^(lua )?"hmget" "\S+:chunks:/i.test(command)))
      gains.push('a final answer with a gap reads the chunks');
    return gains;
  },
};
