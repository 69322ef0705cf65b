import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** Bytes on their way from one end of a connection to the other, in order, whatever was delayed or held. */
class ByteQueue {
  private readonly to: Socket;
  private readonly chunks: { chunk: Buffer; due: number }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private held: boolean;

  constructor(to: Socket, held: boolean) {
    this.to = to;
    this.held = held;
  }

  push(chunk: Buffer, delay: number): void {
    this.chunks.push({ chunk, due: performance.now() + delay });
    this.flush();
  }

  setHeld(held: boolean): void {
    this.held = held;
    this.flush();
  }

  private flush(): void {
    clearTimeout(this.timer);
    while (!this.held) {
      const [first] = this.chunks;
      if (first === undefined) return;
      const remaining = first.due - performance.now();
      if (remaining > 0) {
        this.timer = setTimeout(() => this.flush(), Math.ceil(remaining));
        return;
      }
      this.chunks.shift();
      if (!this.to.destroyed) this.to.write(first.chunk);
    }
  }
}

interface ProxiedConnection {
  readonly client: Socket;
  readonly redis: Socket;
  readonly requests: ByteQueue;
  readonly replies: ByteQueue;
}

/** `loseReply`: Redis gets the command, and its connection ends when it replies. */
type TaskCommandListener = (command: string, loseReply: () => void) => void;

/** A command about a task has the task's key in it. */
const TASK_KEY = /:task:/;

/**
 * A proxy on a Unix socket between one process and Redis. It delays bytes, holds either direction or drops connections,
 * and reports each command about a task, so that a fault can be injected between a command and its reply.
 */
export class RedisProxy {
  readonly url: string;
  private readonly server: Server;
  private readonly connections = new Set<ProxiedConnection>();
  private processDelay = 0;
  private redisDelay = 0;
  private heldRequests = false;
  private heldReplies = false;
  private taskListener: TaskCommandListener | undefined;
  private taskCommandCount = 0;

  private constructor(server: Server, path: string) {
    this.server = server;
    this.url = `unix://${path}`;
  }

  static async open(path: string, redisPath: string): Promise<RedisProxy> {
    const server = createServer();
    const proxy = new RedisProxy(server, path);
    server.on('connection', (client) => proxy.connect(client, redisPath));
    server.listen(path);
    await once(server, 'listening');
    return proxy;
  }

  /** Delays each chunk of both directions, as if the process were far away. */
  setDelay(milliseconds: number): void {
    this.processDelay = milliseconds;
  }

  /** The same beside it, as if Redis were slow: whoever makes Redis slow does so at the proxies of all its processes. */
  setRedisDelay(milliseconds: number): void {
    this.redisDelay = milliseconds;
  }

  dropConnections(): void {
    for (const { client, redis } of this.connections) {
      client.destroy();
      redis.destroy();
    }
  }

  hold(what: 'requests' | 'replies'): void {
    if (what === 'requests') this.heldRequests = true;
    else this.heldReplies = true;
    for (const connection of this.connections) connection[what].setHeld(true);
  }

  release(): void {
    this.heldRequests = false;
    this.heldReplies = false;
    for (const connection of this.connections) {
      connection.requests.setHeld(false);
      connection.replies.setHeld(false);
    }
  }

  /** Calls `listener` once, right after the process has sent its next command about a task. */
  onNextTaskCommand(listener: TaskCommandListener): void {
    this.taskListener = listener;
  }

  /** How many chunks with commands about tasks the process has sent. */
  get taskCommands(): number {
    return this.taskCommandCount;
  }

  close(): void {
    this.dropConnections();
    this.server.close();
  }

  private get delay(): number {
    return this.processDelay + this.redisDelay;
  }

  private connect(client: Socket, redisPath: string): void {
    const redis = createConnection(redisPath);
    const connection = {
      client,
      redis,
      requests: new ByteQueue(redis, this.heldRequests),
      replies: new ByteQueue(client, this.heldReplies),
    };
    this.connections.add(connection);
    const end = () => {
      client.destroy();
      redis.destroy();
      this.connections.delete(connection);
    };
    for (const socket of [client, redis]) socket.on('error', end).on('close', end);
    redis.on('data', (chunk) => connection.replies.push(chunk, this.delay));
    client.on('data', (chunk) => {
      connection.requests.push(chunk, this.delay);
      if (!TASK_KEY.test(chunk.toString('latin1'))) return;
      this.taskCommandCount++;
      const listener = this.taskListener;
      this.taskListener = undefined;
      listener?.(chunk.toString('latin1'), () => {
        connection.replies.setHeld(true);
        redis.once('data', end);
      });
    });
  }
}
