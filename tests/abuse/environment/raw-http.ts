import { createConnection } from 'node:net';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { parseSseMessages } from '../../harness/sse.ts';

/** An HTTP request whose bytes the test controls; client libraries refuse to send what the tests send. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer | undefined;
  /** A false `content-length`; undefined for the true one. */
  readonly contentLength?: string | undefined;
  /** Its reply may be a stream without an end, of which the head is enough. */
  readonly isEndless?: boolean;
}

export interface RawReply {
  /** 0: the connection ended without a response. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly ms: number;
  /** True when the time limit passed before the response was complete. */
  readonly hung: boolean;
}

/** Sends one request over a connection of its own and reads its response, for at most `withinMs`. */
export async function sendRawRequest(url: string, request: RawRequest, withinMs: number): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  const begun = performance.now();
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const end = (hung: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseReply(Buffer.concat(chunks)), ms: performance.now() - begun, hung });
    };
    const timer = setTimeout(() => end(true), withinMs);
    let isWhole: ((length: number, last: Buffer) => boolean) | undefined;
    let length = 0;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      isWhole ??= completionTest(skipInterimResponses(Buffer.concat(chunks)), request);
      if (isWhole?.(length, Buffer.concat(chunks.slice(-2)))) end(false);
    });
    socket.on('end', () => end(false));
    socket.on('close', () => end(false));
    // A server may refuse before it has read everything: writing fails, and its response can still be read.
    socket.on('error', () => {});
    socket.write(encodeRequest(request, `${hostname}:${port}`));
    // Without an end the server would wait for the rest of a body that claims to be longer.
    const framed = request.headers?.some(([name]) => name === 'transfer-encoding');
    if (request.contentLength !== undefined || framed) socket.end();
  });
}

function encodeRequest(
  { method, path, headers = [], body, contentLength }: RawRequest,
  host: string,
): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [`${method} ${path} HTTP/1.1`];
  if (!given.has('host')) lines.push(`host: ${host}`);
  if (!given.has('connection')) lines.push('connection: close');
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (content !== undefined && !given.has('content-length') && !given.has('transfer-encoding'))
    lines.push(`content-length: ${contentLength ?? content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content ?? Buffer.alloc(0)]);
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/** Once the head is received: tells from the number of bytes whether the response is complete. Undefined before, and when only the close ends it. */
function completionTest(
  received: Buffer,
  { method, isEndless = method === 'GET' }: RawRequest,
): ((length: number, last: Buffer) => boolean) | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  if (method === 'HEAD' || /^HTTP\/1\.1 (204|304)/.test(head)) return () => true;
  // A notification stream does not end.
  if (isEndless && /^content-type: text\/event-stream/im.test(head)) return () => true;
  if (/^transfer-encoding: chunked/im.test(head))
    return (_length, last) => last.subarray(-7).equals(LAST_CHUNK);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length === undefined ? undefined : (sofar) => sofar >= headEnd + 4 + Number(length);
}

function parseReply(bytes: Buffer): Pick<RawReply, 'status' | 'headers' | 'text'> {
  const received = skipInterimResponses(bytes);
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return { status: 0, headers: new Map(), text: '' };
  const [first = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const rest = received.subarray(headEnd + 4);
  const length = headers.get('content-length');
  // Bytes after the body belong to a response to what the server took for another request.
  const plain = length === undefined ? rest : rest.subarray(0, Number(length));
  const body = headers.get('transfer-encoding') === 'chunked' ? dechunk(rest) : plain;
  return { status: Number(first.split(' ')[1]), headers, text: body.toString('utf8') };
}

/** Removes interim responses such as `100 Continue`. */
function skipInterimResponses(bytes: Buffer): Buffer {
  if (!bytes.toString('latin1', 0, 10).startsWith('HTTP/1.1 1')) return bytes;
  const end = bytes.indexOf('\r\n\r\n');
  return end === -1 ? bytes : skipInterimResponses(bytes.subarray(end + 4));
}

function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd === -1 ? 0 : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** The JSON-RPC messages of a reply, from its JSON or its SSE stream; undefined for any other body. */
export function parseJsonRpcMessages({ headers, text }: RawReply): AnyJson[] | undefined {
  const isStream = (headers.get('content-type') ?? '').startsWith('text/event-stream');
  try {
    if (!isStream) return [JSON.parse(text)].flat();
    return parseSseMessages(text);
  } catch {
    return undefined;
  }
}
