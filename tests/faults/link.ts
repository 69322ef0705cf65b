import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** What one end sent and the other has not got yet. First in, first out, whatever was slow or held meanwhile. */
class Lane {
  private readonly to: Socket;
  private readonly kept: { chunk: Buffer; due: number }[] = [];
  private timer: NodeJS.Timeout | undefined;
  private held: boolean;

  constructor(to: Socket, held: boolean) {
    this.to = to;
    this.held = held;
  }

  carry(chunk: Buffer, delay: number): void {
    this.kept.push({ chunk, due: performance.now() + delay });
    this.flush();
  }

  hold(held: boolean): void {
    this.held = held;
    this.flush();
  }

  private flush(): void {
    clearTimeout(this.timer);
    while (!this.held) {
      const [first] = this.kept;
      if (first === undefined) return;
      const early = first.due - performance.now();
      if (early > 0) {
        this.timer = setTimeout(() => this.flush(), Math.ceil(early));
        return;
      }
      this.kept.shift();
      if (!this.to.destroyed) this.to.write(first.chunk);
    }
  }
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  readonly requests: Lane;
  readonly replies: Lane;
}

/** A command about a task, by the name of its key. */
const OF_A_TASK = /:task:/;

/**
 * The way of one process to Redis, in our hands: it can be slow, silent in either direction, or cut, and it tells when
 * the process sends a command about a task, so that a fault can strike between a command and its reply.
 */
export class Link {
  readonly url: string;
  private readonly server: Server;
  private readonly pairs = new Set<Pair>();
  private delay = 0;
  private heldRequests = false;
  private heldReplies = false;
  private struck: (() => void) | undefined;
  private sent = 0;

  private constructor(server: Server, path: string) {
    this.server = server;
    this.url = `unix://${path}`;
  }

  static async open(path: string, redisPath: string): Promise<Link> {
    const server = createServer();
    const link = new Link(server, path);
    server.on('connection', (near) => link.join(near, redisPath));
    server.listen(path);
    await once(server, 'listening');
    return link;
  }

  /** Each chunk takes so long on its way, in both directions. */
  slow(milliseconds: number): void {
    this.delay = milliseconds;
  }

  cut(): void {
    for (const { near, far } of this.pairs) {
      near.destroy();
      far.destroy();
    }
  }

  hold(what: 'requests' | 'replies'): void {
    if (what === 'requests') this.heldRequests = true;
    else this.heldReplies = true;
    for (const pair of this.pairs) pair[what].hold(true);
  }

  release(): void {
    this.heldRequests = false;
    this.heldReplies = false;
    for (const pair of this.pairs) {
      pair.requests.hold(false);
      pair.replies.hold(false);
    }
  }

  /** Calls `strike` once, right after the process has sent its next command about a task. */
  onTask(strike: () => void): void {
    this.struck = strike;
  }

  /** How many times the process has sent commands about tasks. */
  get sentAboutTasks(): number {
    return this.sent;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(near: Socket, redisPath: string): void {
    const far = createConnection(redisPath);
    const pair = {
      near,
      far,
      requests: new Lane(far, this.heldRequests),
      replies: new Lane(near, this.heldReplies),
    };
    this.pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      this.pairs.delete(pair);
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    far.on('data', (chunk) => pair.replies.carry(chunk, this.delay));
    near.on('data', (chunk) => {
      pair.requests.carry(chunk, this.delay);
      if (!OF_A_TASK.test(chunk.toString('latin1'))) return;
      this.sent++;
      const strike = this.struck;
      this.struck = undefined;
      strike?.();
    });
  }
}
