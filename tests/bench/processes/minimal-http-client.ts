import { createConnection, type Socket } from 'node:net';

/**
 * A kept-alive connection with one request at a time. Node's own HTTP client would cost as much CPU as what is measured;
 * this one understands only the HTTP/1.1 that the measured servers send.
 */
class Connection {
  private readonly socket: Socket;
  private readonly host: string;
  private received: Buffer = Buffer.alloc(0);
  private waiting: Waiting | undefined;

  constructor({ host, hostname, port }: URL) {
    this.host = host;
    this.socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('data', (part) => this.read(part));
    this.socket.on('error', (error) => this.waiting?.reject(error));
    this.socket.on('close', () => this.waiting?.reject(new Error('the connection was closed')));
  }

  exchange(
    method: string,
    path: string,
    key: string,
    text: string,
    headers: string,
    onPart?: OnPart,
  ): Promise<string> {
    const credential = key === '' ? '' : `authorization: Bearer ${key}\r\n`;
    this.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\ncontent-type: application/json\r\n` +
        `accept: application/json, text/event-stream\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
        `${credential}${headers}\r\n${text}`,
    );
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject, onPart }));
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
    // A reply without content-length is chunked and ends with an empty chunk.
    if (length === undefined && !this.received.subarray(-5).equals(LAST_CHUNK)) {
      this.waiting?.onPart?.(this.received.toString('utf8', head + 4));
      return;
    }
    if (length !== undefined && this.received.length < head + 4 + Number(length)) return;
    const body = this.received.toString('utf8', head + 4);
    this.received = Buffer.alloc(0);
    const { waiting } = this;
    this.waiting = undefined;
    if (/^HTTP\/1\.1 20[02] /.test(headers)) waiting?.resolve(body);
    else waiting?.reject(new Error(`${headers.split('\r\n', 1)[0]}: ${body}`));
  }
}

interface Waiting {
  readonly resolve: (reply: string) => void;
  readonly reject: (error: Error) => void;
  readonly onPart: OnPart | undefined;
}

/** Takes what has come of a stream so far, each time that more comes. */
type OnPart = (text: string) => void;

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Idle connections by origin. */
const idle = new Map<string, Connection[]>();

/** Sends JSON on a kept-alive connection; returns the body. Errors: for any status other than 200 and 202. */
export async function sendJson(
  url: string,
  key: string,
  body: object,
  method = 'POST',
  headers = '',
  onPart?: OnPart,
): Promise<string> {
  const where = new URL(url);
  const free = idle.get(where.origin) ?? [];
  idle.set(where.origin, free);
  const connection = free.pop() ?? new Connection(where);
  const text = JSON.stringify(body);
  const reply = await connection.exchange(method, where.pathname, key, text, headers, onPart);
  free.push(connection);
  return reply;
}

/** Posts one `tools/call`; returns the body as text. */
export function callToolForText(
  url: string,
  key: string,
  name: string,
  args: object,
  id = 1,
): Promise<string> {
  return sendJson(`${url}/mcp`, key, {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
}

/** Closes all connections, so that the process can exit. */
export function closeConnections(): void {
  for (const connections of idle.values()) for (const connection of connections) connection.close();
}
