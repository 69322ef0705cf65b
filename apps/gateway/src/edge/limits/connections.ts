import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BatonError } from '@baton/protocol';
import type { EdgeLimits } from './edge-limits.ts';
import { addressGroup, clientAddress } from './client-address.ts';
import type { CloseReason, EdgeMetrics } from './edge-metrics.ts';
import { Tally } from './tally.ts';

/** Requests of one connection that are under way at once. */
const MAX_PIPELINED = 8;
/** Requests behind one that is refused which are received with it: Node holds about 1.5 KB of each until the connection has closed. */
const MAX_BEHIND = 64;
const SWEEP_MS = 5_000;

interface Connection {
  readonly socket: Socket;
  /** Of the socket. */
  readonly address: string;
  /** Of its requests under way, in their order: one is written at a time, and those behind it have no socket yet. */
  readonly replies: Set<ServerResponse>;
  /** Of its request under way: the key's text, and the address that a trusted proxy forwarded. */
  key: string | undefined;
  forwarded: string | undefined;
  /** The bytes that its client had taken when it was last looked at, and since when: only while some wait. */
  taken: { readonly bytes: number; readonly since: number } | undefined;
  /** Once a request too many came, whose refusal ends the connection: how many came behind it, which are not answered. */
  behind: number | undefined;
}

/**
 * The open connections of a listener: bounded in all, by address and by key. A connection too many takes the place of the one that has been
 * idle for the longest, and is closed where none is idle. One whose client takes nothing of what waits for it is closed.
 */
export class Connections {
  private readonly limits: EdgeLimits;
  private readonly trustProxy: boolean;
  private readonly metrics: EdgeMetrics;
  private readonly open = new Map<Socket, Connection>();
  /** Connections without a request, the longest idle first. */
  private readonly idle = new Set<Connection>();
  private readonly byAddress = new Tally();
  private readonly byKey = new Tally();
  private readonly sweep: NodeJS.Timeout;
  /** One function for all responses. */
  private readonly onResponseClose: (this: ServerResponse) => void;

  constructor(server: Server, limits: EdgeLimits, trustProxy: boolean, metrics: EdgeMetrics) {
    this.limits = limits;
    this.trustProxy = trustProxy;
    this.metrics = metrics;
    const end = (reply: ServerResponse) => this.end(reply);
    this.onResponseClose = function onResponseClose() {
      end(this);
    };
    server.on('connection', (socket: Socket) => this.add(socket));
    this.sweep = setInterval(() => this.closeStalled(), Math.min(SWEEP_MS, limits.writeStallMs / 2));
    this.sweep.unref();
  }

  stop(): void {
    clearInterval(this.sweep);
  }

  /**
   * A request begins on its connection. Returns false when it is not to be answered, since its connection was closed, or is once an
   * earlier request is refused. Errors: `limit_connections` for a forwarded address, and for a request too many of a connection.
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.open.get(request.socket);
    if (connection === undefined) return !request.socket.destroyed;
    if (connection.behind !== undefined) {
      if (++connection.behind > MAX_BEHIND) this.close(connection);
      return false;
    }
    const isTooMany = connection.replies.size >= MAX_PIPELINED;
    connection.replies.add(response);
    this.idle.delete(connection);
    response.on('close', this.onResponseClose);
    if (isTooMany) {
      this.metrics.closedConnections.inc({ reason: 'pipelining' });
      connection.behind = 0;
      endAfter(response);
      throw tooMany('connection', MAX_PIPELINED);
    }
    if (this.trustProxy && connection.forwarded === undefined) {
      const address = clientAddress(request, true);
      const most = this.limits.connectionsPerAddress;
      if (this.byAddress.get(address) >= most) throw tooMany('address', most);
      connection.forwarded = address;
      this.byAddress.add(address, 1);
    }
    return true;
  }

  /** A request that has begun shows a key. Errors: `limit_connections`. */
  attachKey(socket: Socket, key: string): void {
    const connection = this.open.get(socket);
    if (connection === undefined || connection.key !== undefined) return;
    const most = this.limits.connectionsPerKey;
    if (this.byKey.get(key) >= most) throw tooMany('key', most);
    connection.key = key;
    this.byKey.add(key, 1);
  }

  private add(socket: Socket): void {
    const address = addressGroup(socket.remoteAddress ?? '');
    const none = { key: undefined, forwarded: undefined, taken: undefined, behind: undefined };
    const connection: Connection = { socket, address, replies: new Set(), ...none };
    this.open.set(socket, connection);
    this.idle.add(connection);
    this.metrics.connections.inc();
    socket.once('close', () => this.remove(connection));
    if (this.trustProxy) return this.boundAll(connection);
    this.byAddress.add(address, 1);
    if (this.byAddress.get(address) <= this.limits.connectionsPerAddress) return this.boundAll(connection);
    const idle = this.longestIdle((one) => one.address === address && one !== connection);
    this.close(idle ?? connection, 'address');
  }

  private boundAll(connection: Connection): void {
    if (this.open.size <= this.limits.connections) return;
    this.close(this.longestIdle((one) => one !== connection) ?? connection, 'total');
  }

  private longestIdle(isWanted: (connection: Connection) => boolean): Connection | undefined {
    for (const connection of this.idle) if (isWanted(connection)) return connection;
    return undefined;
  }

  private end(reply: ServerResponse): void {
    const connection = this.open.get(reply.req.socket);
    if (connection === undefined) return;
    connection.replies.delete(reply);
    if (connection.replies.size > 0) return;
    this.detach(connection);
    this.idle.add(connection);
  }

  private detach(connection: Connection): void {
    const { key, forwarded } = connection;
    if (key !== undefined) this.byKey.add(key, -1);
    if (forwarded !== undefined) this.byAddress.add(forwarded, -1);
    connection.key = undefined;
    connection.forwarded = undefined;
  }

  private remove(connection: Connection): void {
    if (!this.open.delete(connection.socket)) return;
    this.idle.delete(connection);
    this.detach(connection);
    if (!this.trustProxy) this.byAddress.add(connection.address, -1);
    this.metrics.connections.dec();
    for (const reply of connection.replies) endUnsent(reply);
  }

  private close(connection: Connection, reason?: CloseReason): void {
    if (reason !== undefined) this.metrics.closedConnections.inc({ reason });
    this.remove(connection);
    connection.socket.destroy();
  }

  private closeStalled(): void {
    const now = performance.now();
    for (const connection of this.open.values()) {
      const { socket, taken } = connection;
      if (socket.writableLength === 0) {
        connection.taken = undefined;
        continue;
      }
      // What was written, but for what the system has not taken yet.
      const bytes = socket.bytesWritten - socket.writableLength;
      if (taken === undefined || taken.bytes !== bytes) connection.taken = { bytes, since: now };
      else if (now - taken.since >= this.limits.writeStallMs) this.close(connection, 'stalled');
    }
  }
}

/** Node tells the reply that is being written that its connection has closed, and none of those that wait behind it. */
function endUnsent(reply: ServerResponse): void {
  if (reply.socket !== null || reply.closed) return;
  reply.destroy();
  reply.emit('close');
}

/**
 * Makes a reply the last one of its connection. Nothing more is parsed: Node's parser is fed by the listeners for data, and would make a
 * request of each of any number. What the client still sends is discarded, since a close with unread bytes would reset the connection,
 * and the replies with it.
 */
function endAfter(response: ServerResponse): void {
  response.setHeader('connection', 'close');
  response.req.socket.removeAllListeners('data').on('data', () => {});
}

function tooMany(what: 'address' | 'key' | 'connection', most: number): BatonError {
  return new BatonError(
    'limit_connections',
    `The ${what} has ${most} requests under way at this gateway, which is the limit. Wait for some, then repeat.`,
    { limit: 'connections', of: what, most, retryAfterMs: 1_000 },
  );
}
