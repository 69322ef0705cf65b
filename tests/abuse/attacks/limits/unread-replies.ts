import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../../target/attack.ts';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

/** A key asks for large replies over many connections and reads none of them. */
export const unreadReplies: Attack = {
  name: 'replies that nobody reads',
  environment: { BATON_WRITE_STALL_MS: '2000' },
  withoutGuard: [
    { file: 'program', from: 'turns.running < this.atOnce', to: 'true' },
    { file: 'program', from: /if \(bytes < most\)\s+return;/, to: 'return;' },
    {
      file: 'program',
      from: 'else if (now - taken.since >= this.limits.writeStallMs)',
      to: 'else if (false)',
    },
    { file: 'program', from: 'while (held.bytes > most)', to: 'while (false)' },
  ],
  async run(target) {
    const { key } = await target.createKey(
      await target.createTenant({
        requestBytes: 4_194_304,
        projectBytes: 33_554_432,
        requestsPerSecond: 100_000,
        burst: 100_000,
      }),
    );
    await putProject(target, key);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => begin(target, key)));
    const held = clients.filter(({ status }) => status === '200').map(({ socket }) => socket);
    const gains = held.length > MOST_HELD ? [`${held.length} replies wait to be read`] : [];
    // What the clients' system holds is read only after that: it ends in a close, or it is the whole reply.
    await delay(CLOSED_WITHIN_MS);
    const open = (await Promise.all(held.map(endsEarly))).filter((early) => !early);
    for (const { socket } of clients) socket.destroy();
    return open.length > 0 ? [...gains, `${open.length} connections stay open`] : gains;
  },
};

const CLIENTS = 20;
const MOST_HELD = 4;
const CLOSED_WITHIN_MS = 10_000;

/** A project of some 15 MB, more than the systems between take for a client that does not read. */
async function putProject(target: AttackedDeployment, key: string): Promise<void> {
  const tasks = Array.from({ length: 400 }, (_, n) => ({
    id: n + 1,
    title: 't',
    description: 'x'.repeat(9_000),
  }));
  const put = await target.send('PUT', '/v1/projects/big', { key, body: { master: { tasks } } });
  if (put.status !== 200) throw new Error(put.text);
  for (const targetName of ['a', 'b', 'c']) {
    const copy = { projectRoot: 'big', sourceName: 'master', targetName };
    const { json, text } = await target.callTool(key, 'copy_tag', copy);
    if (json?.result?.isError !== false && json?.result?.isError !== undefined) throw new Error(text);
  }
}

/** Asks, reads the first line of the reply and no more. */
async function begin(target: AttackedDeployment, key: string): Promise<{ socket: Socket; status: string }> {
  const socket = connect({ port: Number(new URL(target.url()).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`GET /v1/projects/big HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  socket.pause();
  return { socket, status: String(first).slice(9, 12) };
}

async function endsEarly(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return true;
  let bytes = 0;
  const ended = once(socket, 'close').then(() => true);
  socket.on('data', (part) => (bytes += part.length)).resume();
  const whole = new Promise<boolean>((resolve) => {
    const timer = setInterval(() => {
      if (bytes < WHOLE_BYTES && !socket.destroyed) return;
      clearInterval(timer);
      resolve(bytes < WHOLE_BYTES);
    }, 50);
  });
  return Promise.race([ended, whole]);
}

/** A reply that comes to its end was kept for its client. */
const WHOLE_BYTES = 14_000_000;
