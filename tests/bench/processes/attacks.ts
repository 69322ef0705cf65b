import { setTimeout as sleep } from 'node:timers/promises';
import { callToolForText, sendJson } from './minimal-http-client.ts';

/** Where an attacker calls, and the worker that it finds there. */
export interface Target {
  readonly urls: readonly string[];
  readonly key: string;
  readonly worker: number;
}

type Attack = (target: Target, begun: () => void) => Promise<void>;

const LANES = 8;
const BACKLOG = 20_000;
/** The most that a tenant may have pending by default. */
const PENDING = 1_000;

/** What a tenant does within its limits that others may feel. Those that need more than the default limits say so. */
export const attacks: Readonly<Record<string, Attack>> = {
  /** Answers that take the longest to hold against their schema. */
  async checks(target, begun) {
    const schema = { allOf: Array.from({ length: 10 }, () => ({ type: 'array', uniqueItems: true })) };
    const object = Array.from({ length: 12_000 }, (_, at) => [at]);
    begun();
    await inLanes(async () => {
      const parked = await call(
        target,
        'agent_llm',
        delegated({ schema, objectName: 'o' }, 'generateObject'),
      );
      await answer(target, interactionIdOf(parked), { object });
    });
  },

  /** Projects of a megabyte each, one after the other. */
  async storage(target, begun) {
    let made = 0;
    begun();
    await inLanes(async () => {
      const projectRoot = `p${made++}`;
      await call(target, 'initialize_project', { projectRoot, name: 'x' });
      const files = ['a', 'b'].map((name) => ({ name: `${name}.md`, text: name.repeat(490_000) }));
      await call(target, 'connect_files', { projectRoot, files });
    });
  },

  /** Readers and writers of the largest project that fits. */
  async 'large project'(target, begun) {
    await fillProject(target);
    begun();
    let n = 0;
    await inLanes(async () => {
      const tool = ['get_task', 'get_tasks', 'next_task', 'set_task_status'][n++ % 4] ?? '';
      const more = tool === 'set_task_status' ? { status: n % 8 === 0 ? 'pending' : 'done' } : {};
      const id = tool === 'get_task' || tool === 'set_task_status' ? { id: String(1 + (n % 50)) } : {};
      await call(target, tool, { projectRoot: 'large', ...id, ...more });
    });
  },

  /** Answers that were all accepted while no worker ran. Needs a limit of so many pending interactions. */
  async backlog(target, begun) {
    const parked = await parkCalls(target, BACKLOG);
    process.kill(target.worker, 'SIGSTOP');
    await inLanes(async () => {
      const next = parked.pop();
      if (next === undefined) return true;
      await answer(target, next, { object: { value: 'x' } });
      return false;
    });
    process.kill(target.worker, 'SIGCONT');
    begun();
    await sleep(3_600_000);
  },

  /** All that may be pending expires in the same moment, again and again. */
  async deadlines(target, begun) {
    let first = true;
    for (;;) {
      const parked = await parkCalls(target, PENDING);
      const due = Date.now() + 5_000;
      await inLanes(async () => {
        const next = parked.pop();
        if (next === undefined) return true;
        const body = { ttlMs: Math.max(1_000, due - Date.now()) };
        await sendJson(`${target.urls[0]}/v1/interactions/${next}/extend`, target.key, body).catch(() => {});
        return false;
      });
      if (first) begun();
      first = false;
      await sleep(Math.max(0, due - Date.now()));
    }
  },

  /** Lists, claims and releases of all that may be pending. */
  async lists(target, begun) {
    await parkCalls(target, PENDING);
    begun();
    let n = 0;
    await inLanes(async () => {
      const holder = `h${n++ % 50}`;
      await call(target, 'pending_interactions', { requests: true });
      await call(target, 'pending_interactions', { claim: { max: 50, leaseMs: 60_000, holder } });
      await call(target, 'pending_interactions', { claim: { leaseMs: 0, holder } });
    });
  },

  /** As many notification streams as a gateway takes, and changes that all of them hear of. */
  async streams(target, begun) {
    await fillProject(target, 50_000);
    await Promise.all(Array.from({ length: 1_000 }, () => openStream(target).catch(() => {})));
    begun();
    let n = 0;
    await inLanes(async () => {
      const status = n++ % 2 === 0 ? 'done' : 'pending';
      await call(target, 'set_task_status', { projectRoot: 'large', id: '1', status });
    });
  },
};

/** Repeats `step` in several lanes until it returns true; a call that the rate refuses is repeated soon. */
async function inLanes(step: () => Promise<boolean | void>): Promise<void> {
  const lane = async () => {
    while ((await step()) !== true);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

let turn = 0;
/** Any reply is one: an attacker goes on. */
async function call({ urls, key }: Target, tool: string, args: object): Promise<string> {
  for (;;) {
    const url = urls[turn++ % urls.length] ?? '';
    try {
      return await callToolForText(url, key, tool, args);
    } catch (error) {
      const message = String(error);
      if (!message.includes(' 429 ') && !message.includes('closed')) return message;
      await sleep(10);
    }
  }
}

const delegated = (more: object, serviceType: string) => ({
  delegatedCallDetails: {
    originalCommand: 'x',
    serviceType,
    requestParameters: { messages: [{ role: 'user', content: 'hello' }], ...more },
  },
});

const interactionIdOf = (reply: string) => /"interactionId":"([^"]+)"/.exec(reply)?.[1] ?? '';

function answer(target: Target, interactionId: string, data: object): Promise<string> {
  const agentLLMResponse = { status: 'success', data };
  return call(target, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
}

async function parkCalls(target: Target, count: number): Promise<string[]> {
  const parked: string[] = [];
  let left = count;
  await inLanes(async () => {
    if (left-- <= 0) return true;
    const id = interactionIdOf(await call(target, 'bench_echo', { text: 'x' }));
    if (id !== '') parked.push(id);
    return false;
  });
  return parked;
}

/** A project of up to 8 MiB, from imports and subtasks of the largest size. */
async function fillProject(target: Target, bytes = 7_500_000): Promise<void> {
  const size = Math.min(bytes / 10, 90_000);
  const tasks = Array.from({ length: 8 }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    description: 'What it is about.',
    details: 'd'.repeat(size),
  }));
  await sendJson(`${target.urls[0]}/v1/projects/large`, target.key, { master: { tasks } }, 'PUT').catch(
    () => {},
  );
  for (let written = 8 * size; written < bytes; written += size)
    await call(target, 'add_subtask', {
      projectRoot: 'large',
      id: String(1 + (written % 8)),
      title: 's',
      details: 'd'.repeat(size),
    });
}

/** A session that is subscribed to the large project, and its stream, which is read and dropped. */
async function openStream({ urls, key }: Target): Promise<void> {
  const url = `${urls[turn++ % urls.length]}/mcp`;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (method: string, params: object, more: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const opened = await post('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'attacker', version: '1' },
  });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  await (await post('resources/subscribe', { uri: 'baton://projects/large' }, session)).text();
  const stream = await fetch(url, { headers: { ...headers, ...session } });
  void (async () => {
    for await (const part of stream.body ?? []) void part;
  })().catch(() => {});
}
