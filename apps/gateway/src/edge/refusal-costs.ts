import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKeyParts, BatonError } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { drainBody } from './drain-body.ts';
import { clientAddress } from './limits/client-address.ts';
import type { EdgeLimits } from './limits/edge-limits.ts';
import type { EdgeMetrics } from './limits/edge-metrics.ts';
import { TokenBuckets } from './limits/token-buckets.ts';

/** What a refused request costs beside the bytes of its body. */
const REQUEST_COST = 4_096;
/** How many seconds of each rate may be taken at once. */
const REFUSED_BURST_SECONDS = 32;
const WRONG_BURST_SECONDS = 20;
/** Wrong credentials of an address are logged this often, and those of all addresses at this rate. */
const LOG_EVERY_MS = 60_000;
const LINES_PER_SECOND = 10;
const MAX_LOGGED_ADDRESSES = 10_000;

/**
 * What refusals cost those who cause them, since a refused request takes no token of its tenant's rate: an address, and a
 * key that is valid, may cause so many bytes of refused requests, and an address so many wrong credentials. Above that
 * a refusal leaves when its debt is paid back (5 s at most), and its connection is closed, its body unread. Requests that are
 * not refused are never held back, whatever others behind the same address or with a key of the same name did.
 */
export class RefusalCosts {
  private readonly trustProxy: boolean;
  private readonly metrics: EdgeMetrics;
  private readonly refusedBytes: TokenBuckets;
  private readonly wrongCredentials: TokenBuckets;
  private readonly logged = new LRUCache<string, { at: number; count: number }>({
    max: MAX_LOGGED_ADDRESSES,
  });
  private readonly lines = new TokenBuckets(LINES_PER_SECOND, LINES_PER_SECOND);

  constructor(limits: EdgeLimits, trustProxy: boolean, metrics: EdgeMetrics) {
    this.trustProxy = trustProxy;
    this.metrics = metrics;
    const { refusedBytesPerSecond: bytes, wrongCredentialsPerSecond: wrong } = limits;
    this.refusedBytes = new TokenBuckets(bytes, bytes * REFUSED_BURST_SECONDS);
    this.wrongCredentials = new TokenBuckets(wrong, wrong * WRONG_BURST_SECONDS);
  }

  /** Whether a body of a key may be read and refused then: what the key's refusals have left covers it. */
  covers(key: ApiKeyParts, bytes: number): boolean {
    return this.refusedBytes.left(subjectOf(key)) >= bytes;
  }

  /**
   * Charges a refusal before it is sent. What is left of the body is read and discarded, so that its sender hears why, as
   * long as that is within the allowance; otherwise the refusal is held back and will close its connection.
   */
  async charge(request: FastifyRequest, reply: FastifyReply, error: BatonError): Promise<void> {
    const unpaid = isUnpaid(request, error);
    if (!unpaid && request.raw.complete) return;
    const address = clientAddress(request.raw, this.trustProxy);
    const subjects = [`address ${address}`];
    // Anyone can show a key's name: only who was found to have the key is charged for it.
    if (request.credential?.kind === 'key' && error.code !== 'unauthenticated')
      subjects.push(subjectOf(request.credential.key));
    const take = (cost: number) =>
      Math.max(...subjects.map((subject) => this.refusedBytes.take(subject, cost)));
    let wait = unpaid ? take(REQUEST_COST + request.bodyWeight) : 0;
    if (isWrongCredential(error)) wait = Math.max(wait, this.chargeWrongCredential(request, address));
    // The last reply of its connection, of which nothing more is parsed.
    const isLast = reply.raw.getHeader('connection') === 'close';
    if (wait === 0 && isLast) return;
    if (wait === 0) {
      const allowance = Math.min(...subjects.map((subject) => this.refusedBytes.left(subject)));
      wait = take(await drainBody(request.raw, allowance));
      if (!request.raw.complete) reply.header('connection', 'close');
      if (wait === 0) return;
    }
    this.metrics.slowedRefusals.inc();
    reply.header('connection', 'close');
    // What the connection sends meanwhile is not read: it closes with this refusal.
    request.raw.socket.pause();
    await sleep(wait);
  }

  private chargeWrongCredential(request: FastifyRequest, address: string): number {
    this.metrics.wrongCredentials.inc();
    const logged = this.logged.get(address) ?? { at: -LOG_EVERY_MS, count: 0 };
    logged.count++;
    if (performance.now() - logged.at >= LOG_EVERY_MS && this.lines.take('all', 1) === 0) {
      const { credential } = request;
      const shown =
        credential?.kind === 'key' ? { tenant: credential.key.tenant, keyId: credential.key.id } : {};
      request.log.warn({ address, wrong: logged.count, ...shown }, 'wrong credentials');
      Object.assign(logged, { at: performance.now(), count: 0 });
    }
    this.logged.set(address, logged);
    return this.wrongCredentials.take(address, 1);
  }
}

function subjectOf({ tenant, id }: ApiKeyParts): string {
  return `key ${tenant} ${id}`;
}

/** True for what took no token of the rate: the caller was not admitted, or the request has none. */
function isUnpaid({ credential }: FastifyRequest, { code, details }: BatonError): boolean {
  return credential === null || UNPAID.has(code) || details['limit'] === 'requestBytes';
}

const UNPAID: ReadonlySet<string> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
]);

function isWrongCredential({ code, details }: BatonError): boolean {
  return code === 'unauthenticated' && details['missing'] !== true;
}

declare module 'fastify' {
  interface FastifyInstance {
    refusalCosts: RefusalCosts;
  }
}
