import { once } from 'node:events';
import { FakeLlmServer, VALID_ANSWER } from '../../fake-llm/llm-server.ts';
import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment } from '../target/attacked-deployment.ts';

const ADDRESS = 'http://169.254.169.254/latest/meta-data/';
const SMUGGLED = 'smuggled-by-the-caller';

/** A request is written so that it ends or delays the agents of its tenant, or reaches what only they can reach. */
export const requestsAgainstAgents: Attack = {
  name: 'requests that hurt who answers them',
  // The failure of a request counts as one of the endpoint, which nobody asks.
  withoutGuard: [
    {
      file: 'program',
      from: 'const found = await this.askNext(signal);',
      to: "const kind = failure.kind === 'final' ? 'fatal' : failure.kind; const found = Object.assign(failure, { kind, scope: 'endpoint' });",
    },
  ],
  async run(target) {
    const llm = await FakeLlmServer.start(({ model }) => {
      const status = Number(/^refused-(\d+)$/.exec(model)?.[1] ?? 0);
      if (status === 0) return VALID_ANSWER;
      const headers: Record<string, string> = status === 429 ? { 'retry-after': '600' } : {};
      return { do: 'refuse', status, message: 'this key has no access to the model', headers };
    });
    try {
      return await attackAgents(target, llm);
    } finally {
      await llm.close();
    }
  },
};

async function attackAgents(target: AttackedDeployment, llm: FakeLlmServer): Promise<string[]> {
  const gains: string[] = [];
  for (const status of [401, 402, 403, 404, 429]) {
    const tenant = await target.createTenant();
    const [victim, mole] = [
      await target.createKey(tenant, { principal: 'victim' }),
      await target.createKey(tenant, { principal: 'mole' }),
    ];
    const agent = await ObservedAgent.start(target, tenant, llm);
    await target.delegate(mole.key, { modelId: `refused-${status}` });
    await agent.see(({ event }) => event === 'failed' || event === 'holding');
    await target.delegate(victim.key, { messages: [{ role: 'user', content: 'of the victim' }] });
    await agent.see(({ event }) => event === 'answered');
    if (agent.ended) gains.push(`a ${status} for one request ended the agent`);
    if (agent.events.some(({ event }) => event === 'holding'))
      gains.push(`a ${status} for one request delayed all others`);
  }
  const tenant = await target.createTenant();
  const mole = await target.createKey(tenant, { principal: 'mole' });
  const agent = await ObservedAgent.start(target, tenant, llm);
  const before = llm.calls.length;
  const text = { type: 'text', text: 'look' };
  for (const block of [
    { type: 'image_url', image_url: { url: ADDRESS } },
    { type: 'image', data: ADDRESS },
    text,
  ])
    await target.delegate(mole.key, {
      messages: [{ role: 'user', content: [block] }],
      headers: { 'x-extra': SMUGGLED },
      api_key: SMUGGLED,
      base_url: `http://${SMUGGLED}`,
      extra_body: { a: SMUGGLED },
    });
  await agent.see(({ event }) => event === 'failed' || event === 'answered', 3);
  for (const { headers, body } of llm.calls.slice(before)) {
    const sent = JSON.stringify([headers, body]);
    if (sent.includes(ADDRESS)) gains.push('the address of a metadata service reached the endpoint');
    if (sent.includes(SMUGGLED)) gains.push('a parameter of the connection reached the endpoint');
  }
  return gains;
}

interface AgentLine {
  readonly event: string;
}

/** A `baton agent` that may use any model, with what it reports. */
class ObservedAgent {
  readonly events: AgentLine[] = [];
  ended = false;
  private seen = 0;
  private readonly waiting = new Set<() => void>();

  static async start(target: AttackedDeployment, tenant: string, llm: FakeLlmServer): Promise<ObservedAgent> {
    const { key } = await target.createKey(tenant, { principal: 'agent', scopes: ['agent'] });
    const observed = new ObservedAgent();
    const settings = {
      BATON_LLM_ENDPOINT: llm.url,
      BATON_LLM_MODEL: 'model-of-the-agent',
      BATON_LLM_ALLOW_MODELS: '*',
      BATON_LLM_API_KEY: 'key-of-the-llm',
    };
    const agent = await target.startAgent(key, settings, (line) => {
      if (!line.startsWith('{')) return;
      observed.events.push(JSON.parse(line));
      observed.wake();
    });
    void once(agent.child, 'exit').then(() => {
      observed.ended = true;
      observed.wake();
    });
    return observed;
  }

  /** Waits for so many more events that match, or for the end of the agent or of its claiming. */
  async see(matches: (line: AgentLine) => boolean, times = 1): Promise<void> {
    for (let found = 0; ; ) {
      for (; this.seen < this.events.length; this.seen++) {
        const line = this.events[this.seen];
        if (line !== undefined && matches(line) && ++found === times) {
          this.seen++;
          return;
        }
      }
      if (this.ended || this.events.some(({ event }) => event === 'holding')) return;
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
