import { createConnection, type Socket } from 'node:net';

/**
 * A connection that stays, with one request under way at a time. Node's own client costs as much as what is measured,
 * and takes it from the same cores; this one knows no more of HTTP/1.1 than the servers here say.
 */
class Connection {
  private readonly socket: Socket;
  private readonly host: string;
  private received: Buffer = Buffer.alloc(0);
  private waiting: { resolve: (reply: string) => void; reject: (error: Error) => void } | undefined;

  constructor({ host, hostname, port }: URL) {
    this.host = host;
    this.socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (part) => this.read(part));
    this.socket.on('error', (error) => this.waiting?.reject(error));
    this.socket.on('close', () => this.waiting?.reject(new Error('the connection was closed')));
  }

  exchange(method: string, path: string, key: string, text: string): Promise<string> {
    const credential = key === '' ? '' : `authorization: Bearer ${key}\r\n`;
    this.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\ncontent-type: application/json\r\n` +
        `accept: application/json, text/event-stream\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
        `${credential}\r\n${text}`,
    );
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  close(): void {
    this.socket.destroy();
  }

  private read(part: Buffer): void {
    this.received = this.received.length === 0 ? part : Buffer.concat([this.received, part]);
    const head = this.received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const headers = this.received.toString('latin1', 0, head);
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(headers) ?? [];
    // Without a length it is a held reply, which streams and ends with an empty chunk.
    if (length === undefined && !this.received.subarray(-5).equals(LAST_CHUNK)) return;
    if (length !== undefined && this.received.length < head + 4 + Number(length)) return;
    const body = this.received.toString('utf8', head + 4);
    this.received = Buffer.alloc(0);
    const { waiting } = this;
    this.waiting = undefined;
    if (headers.startsWith('HTTP/1.1 200 ')) waiting?.resolve(body);
    else waiting?.reject(new Error(`${headers.split('\r\n', 1)[0]}: ${body}`));
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Connections on which nothing is asked, by where they lead. */
const idle = new Map<string, Connection[]>();

/** One POST (or PUT) of JSON, on connections that stay; what it was answered, which must be a 200. */
export async function sendJson(url: string, key: string, body: object, method = 'POST'): Promise<string> {
  const where = new URL(url);
  const free = idle.get(where.origin) ?? [];
  idle.set(where.origin, free);
  const connection = free.pop() ?? new Connection(where);
  const reply = await connection.exchange(method, where.pathname, key, JSON.stringify(body));
  free.push(connection);
  return reply;
}

/** A tool call as it stands on the wire; gives the reply's text. */
export function callTool(url: string, key: string, name: string, args: object, id = 1): Promise<string> {
  return sendJson(`${url}/mcp`, key, {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
}

/** Lets go of the connections, so that the process can end. */
export function closeConnections(): void {
  for (const connections of idle.values()) for (const connection of connections) connection.close();
}
