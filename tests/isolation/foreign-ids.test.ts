import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import { taskRef } from '../../packages/store/src/records/keys.ts';
import { FIELD } from '../../packages/store/src/records/task-record.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { readOpenApiDocument } from '../openapi/openapi-document.ts';
import { callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
import { isPeriodicCommand, RedisMonitor } from '../harness/redis-monitor.ts';
import { UNLIMITED } from '../processes/process-settings.ts';
import { storeConversation } from './store-conversation.ts';
import { type IdKind, idProbes, type IdProbe } from './id-probes.ts';

/**
 * What is not the caller's is answered as what does not exist, in time too. Time is not measured: for an id of another's and
 * for one that does not exist Redis runs the same commands, inside of scripts too, and the replies have the same bytes, for
 * every id that a tool, a route or a resource takes.
 */

/** What another has, by its kind, and who tries its ids. */
interface Attempt {
  readonly attacker: string;
  readonly tenant: string;
  readonly foreign: Readonly<Partial<Record<IdKind, readonly string[]>>>;
}

describe('foreign ids', () => {
  let baton: InProcessDeployment;
  let monitor: RedisMonitor;
  let url: string;
  let probes: IdProbe[];
  let unknown: string[];
  let attempts: Record<string, Attempt>;

  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 0 });
    monitor = await RedisMonitor.open(baton.redisUrl, { scripts: true });
    url = baton.url();
    const victim = await baton.createKey({ principal: 'victim' });
    const stranger = await baton.addTenant('strangers', UNLIMITED);
    const admin = await baton.createKey({ scopes: ['admin', 'mcp'] }, 'strangers');
    const mole = await baton.createKey({ principal: 'mole' });
    const tasks = await victimTasks(url, victim);
    const interactions = tasks.map((taskId) => formatInteractionId(taskId, 1));
    const conversation = await storeConversation(baton, 'victim');
    const foreign = {
      conversation: [conversation],
      task: tasks,
      interaction: interactions,
      key: [victim.split('_')[2] ?? ''],
      tenant: ['acme'],
    };
    attempts = {
      'another principal': {
        attacker: mole,
        tenant: 'acme',
        foreign: { task: tasks, interaction: interactions, conversation: [conversation] },
      },
      'another tenant': { attacker: stranger, tenant: 'strangers', foreign },
      'the admin of another tenant': { attacker: admin, tenant: 'strangers', foreign },
    };
    const [tools, templates] = await Promise.all(
      ['tools/list', 'resources/templates/list'].map(
        async (method) => (await postJsonRpc(url, mole, { jsonrpc: '2.0', id: 1, method })).body.result,
      ),
    );
    const document = await readOpenApiDocument(url);
    ({ probes, unknown } = idProbes(tools.tools, document, templates.resourceTemplates, randomSeed));
  });
  afterAll(async () => {
    monitor?.close();
    await baton?.stop();
  });

  test('every id that is taken is known to be owned, or to be shared by the tenant', () => {
    expect(unknown).toEqual([]);
    const names = probes.map(({ name }) => name);
    for (const known of [
      'agent_llm',
      'task_status',
      'cancel_task',
      'pending_interactions',
      '/extend',
      'resources/subscribe',
      'tasks/result',
    ])
      expect(names.join('\n')).toContain(known);
  });

  test.each(['another principal', 'another tenant', 'the admin of another tenant'])(
    'to %s a foreign id and a missing one are one and the same',
    async (who) => {
      const { attacker, tenant, foreign } = attempts[who]!;
      const session = await openSession(url, attacker);
      const sender = { url, monitor, key: attacker, session, tenant };
      const found = new Set<string>();
      const reached = new Set<string>();
      for (const probe of probes) {
        const [first = '', ...others] = foreign[probe.kind] ?? [];
        if (first === '') continue;
        const missing = missingIdLike(first);
        const expected = await send(sender, probe, missing);
        const isNotFound = /_not_found/.test(expected.reply);
        if (isNotFound) reached.add(probe.name);
        // What is refused for its other arguments is refused before the id is looked at.
        for (const id of isNotFound ? [first, ...others] : [first]) {
          const observed = await send(sender, probe, id);
          if (observed.reply !== expected.reply)
            found.add(`${probe.name}: the reply is ${observed.reply}, not ${expected.reply}`.slice(0, 600));
          if (observed.commands !== expected.commands)
            found.add(
              `${probe.name}: Redis runs ${observed.commands}, not ${expected.commands}`.slice(0, 2_000),
            );
          for (const command of commandsOnTask(observed.commands))
            if (!ASKS_FOR_OWNER.test(command)) found.add(`${probe.name}: of the task is read ${command}`);
        }
      }
      expect([...found]).toEqual([]);
      if (who !== 'another principal') return;
      const ofMole = probes.filter(({ kind, path }) => kind in foreign && !path.includes('@tenant'));
      expect([...reached].toSorted(), 'each is asked for in a way that gets to it').toEqual(
        [...new Set(ofMole.map(({ name }) => name))]
          .filter((name) => !name.includes('unsubscribe'))
          .toSorted(),
      );
    },
    120_000,
  );
});

/** Tasks in several states: one with a large request and a chunk, one without, one that was cancelled. */
async function victimTasks(url: string, key: string): Promise<string[]> {
  const client = await connectMcpClient(url, key);
  const delegate = async (serviceType: string, size: number) => {
    const requestParameters = { messages: [{ role: 'user', content: 'y'.repeat(size) }] };
    const delegatedCallDetails = { originalCommand: 'x', serviceType, requestParameters };
    return callTool(client, 'agent_llm', { delegatedCallDetails });
  };
  const streamed = await delegate('streamText', 100_000);
  const chunk = { status: 'streaming', sequence: 0, delta: 'z'.repeat(10_000) };
  await callTool(client, 'agent_llm', { interactionId: streamed.interactionId, agentLLMResponse: chunk });
  const pending = await delegate('generateText', 10);
  const cancelled = await delegate('generateText', 10);
  await callTool(client, 'cancel_task', { taskId: cancelled.taskId });
  await client.close();
  return [streamed.taskId, pending.taskId, cancelled.taskId];
}

/** An MCP session: some methods need one. */
async function openSession(url: string, key: string): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const { headers } = await postJsonRpc(
    url,
    key,
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { accept: 'application/json, text/event-stream' },
  );
  return headers.get('mcp-session-id') ?? '';
}

/** An id that nothing has, of the same form, and of an interaction with the same number. */
function missingIdLike(id: string): string {
  if (id.length < 36) return id.replaceAll(/\w/g, 'a');
  return taskIdFromUuid(randomUUID()).slice(0, 32) + id.slice(32);
}

interface Sender {
  readonly url: string;
  readonly monitor: RedisMonitor;
  readonly key: string;
  readonly session: string;
  readonly tenant: string;
}

/** Sends a probe with an id; what comes back and what Redis ran for it, with the id and the time taken out. */
async function send(
  sender: Sender,
  probe: IdProbe,
  id: string,
): Promise<{ reply: string; commands: string }> {
  const { url, monitor, key, session, tenant } = sender;
  const { method, path, body } = probe;
  const from = (await monitor.commands()).length;
  const filled = (text: string) =>
    text.replaceAll('@id', id).replaceAll('@tenant', tenant).replaceAll('@project', 'default');
  const reply = await fetch(`${url}${filled(path)}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(path === '/mcp' ? { 'mcp-session-id': session } : {}),
      accept: 'application/json, text/event-stream',
    },
    ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }),
  });
  const text = await reply.text();
  const headers = [...reply.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  const commands = (await monitor.commands(from)).filter(
    (command) => !isPeriodicCommand(command) && !HOUSEKEEPING.test(command),
  );
  // A script that Redis does not have yet is sent once more, whole; and every 10 s a session is asked for first.
  if (commands.some((command) => /^"eval" |^"zscore" "[^"]*:ended"/i.test(command)))
    return send(sender, probe, id);
  return {
    reply: neutral(id, `${reply.status} ${JSON.stringify(headers)} ${text}`),
    commands: neutral(id, commands.join('\n')),
  };
}

/** The commands on the task's record, those that start a script left out. */
function commandsOnTask(commands: string): string[] {
  return commands
    .split('\n')
    .filter((command) => command.includes(':task:<ref>"') && !/^"eval/i.test(command));
}

const ASKS_FOR_OWNER = new RegExp(`^lua "HGET" "[^"]*:task:<ref>" "${FIELD.principal}"$`, 'i');

/** Shares of the rate that are whole again are trimmed, and the last use of a key is noted, at times: whatever the id is. */
const HOUSEKEEPING =
  /^lua "(?:(?:ZREMRANGEBYRANK|PEXPIRE|ZCOUNT)" "[^"]*:rates"(?! "\(")|HSET" "[^"]*:key:[^"]*" "used")/i;

/** The same text for every id, and at every time. */
function neutral(id: string, text: string): string {
  const ref = /^[0-9a-f-]{36}$/.test(id) ? taskRef(id) : id;
  return text
    .replaceAll(id, '<id>')
    .replaceAll(id.slice(0, 32), '<task>')
    .replaceAll(ref, '<ref>')
    .replaceAll(/"tokens" "[^"]*" "filled" "[^"]*"/g, '"tokens" "filled"')
    .replaceAll(/\b1\d{12}(?:\.\d+)?\b/g, '<ms>');
}
