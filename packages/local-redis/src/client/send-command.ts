import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Endpoint, parseRedisUrl } from './redis-url.ts';

/** A reply and its RESP2 type: `+` simple, `-` error, `:` integer, `$` bulk. */
export interface Reply {
  readonly type: string;
  readonly text: string;
}

/**
 * Sends one command on a connection of its own and resolves with the reply, an error reply included.
 * Enough of RESP2 to ask PING, INFO, GET and SET; arrays are not read.
 * @throws Error when nobody answers within `limitMs`, or what answers is not a Redis.
 */
export async function sendCommand(url: string, command: readonly string[], limitMs: number): Promise<Reply> {
  const endpoint = parseRedisUrl(url);
  const commands = [...authentication(endpoint), command];
  const socket = open(endpoint);
  try {
    return await new Promise<Reply>((resolve, reject) => {
      let received = Buffer.alloc(0);
      const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
      socket.once('close', () => {
        clearTimeout(timer);
        reject(new Error('the connection was closed before an answer came'));
      });
      socket.once('error', reject);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        try {
          const replies = parseReplies(received);
          // AUTH that fails on a server without a password does no harm: the last reply counts. But where the
          // last one is an error, the first error is the cause ("WRONGPASS" says more than "NOAUTH").
          const last = replies[commands.length - 1];
          if (last) resolve(last.type === '-' ? (replies.find(({ type }) => type === '-') ?? last) : last);
        } catch (error) {
          reject(error);
        }
      });
      socket.write(commands.map(encode).join(''));
    });
  } finally {
    socket.destroy();
  }
}

function open(endpoint: Endpoint): Socket {
  if (endpoint.kind === 'unix') return connect({ path: endpoint.path });
  const { host, port } = endpoint;
  return endpoint.kind === 'tls' ? connectTls({ host, port, servername: host }) : connect({ host, port });
}

function authentication({ username, password }: Endpoint): string[][] {
  if (password === undefined) return [];
  return [username === undefined ? ['AUTH', password] : ['AUTH', username, password]];
}

function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

function parseReplies(received: Buffer): Reply[] {
  const replies: Reply[] = [];
  let at = 0;
  for (;;) {
    const end = received.indexOf('\r\n', at);
    if (at < received.length && !'+-:$'.includes(String.fromCharCode(received[at] ?? 0))) {
      throw new Error('what answers there is not a Redis');
    }
    if (end === -1) return replies;
    const type = received.toString('utf8', at, at + 1);
    const line = received.toString('utf8', at + 1, end);
    if (type !== '$') {
      replies.push({ type, text: line });
      at = end + 2;
      continue;
    }
    const length = Math.max(Number(line), 0);
    const next = Number(line) < 0 ? end + 2 : end + 2 + length + 2;
    if (received.length < next) return replies;
    replies.push({ type, text: received.toString('utf8', end + 2, end + 2 + length) });
    at = next;
  }
}
