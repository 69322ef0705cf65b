import { callbackify } from 'node:util';
import { MAX_BODY_BYTES, MAX_IMPORT_BYTES, type Scope, scopeSchema } from '@baton/protocol';
import type { Store } from '@baton/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noRouteError } from './error-responses.ts';
import { hasYamlBody } from './yaml-body-parser.ts';
import type { BufferBudget } from './limits/buffer-budget.ts';

/** Smaller bodies of JSON are read before their caller is admitted, which nearly all are. */
const UNCHECKED_BYTES = 65_536;

/**
 * Refuses a large body, or one of YAML, which takes longer to parse, before it is read if its caller would be refused anyway: without a valid key a request makes this
 * process hold at most `UNCHECKED_BYTES`. What may be an answer is read as long as the rate takes answers and the cost of
 * refusing it would be covered. It costs a call to Redis and no rate token; the request is still to be admitted. What is read then
 * is bounded by the tenant's `requestBytes`, an import's by a limit of its own, and counts as the key's until it was received.
 */
export function refuseUnadmittedLargeBodies(
  app: FastifyInstance,
  store: Store,
  bufferBudget: BufferBudget,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const announced = announcedBytes(request);
    if (announced === undefined) request.socketBytesBeforeBody = request.raw.socket.bytesRead;
    if (announced !== undefined && announced <= UNCHECKED_BYTES && !hasYamlBody(request)) return done();
    const { credential } = request;
    if (request.is404) return done(noRouteError(request));
    if (credential?.kind !== 'key') return done();
    const { key } = credential;
    const { takesLargeJson } = request.routeOptions.config;
    const caller = store.tenant(key.tenant).caller(key, takesLargeJson ? 0 : (announced ?? 0));
    const doubted = mayBeAnswer(request) && app.refusalCosts.covers(key, announced ?? MAX_BODY_BYTES);
    const admitBody = async () => {
      const most = await caller.dryRunAdmission(doubted ? 'answer' : 'call', scopesFor(request));
      request.maxBodyBytes = takesLargeJson ? MAX_IMPORT_BYTES : Math.min(most, MAX_BODY_BYTES);
      bufferBudget.requireRoom(key.text);
      holdBody(request, reply, bufferBudget, { key: key.text, bytes: announced ?? request.maxBodyBytes });
    };
    callbackify(admitBody)(done);
  });
}

/** Counts a body from now until it was received, or its request has ended. */
function holdBody(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  bufferBudget: BufferBudget,
  { key, bytes }: { key: string; bytes: number },
): void {
  const held = { key, bytes, close: () => raw.socket.destroy() };
  const release = () => bufferBudget.release(held);
  bufferBudget.hold(held);
  raw.once('end', release);
  reply.raw.once('close', release);
}

/** Undefined for a body that does not say how large it is. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined;
}

/** One of these is needed; for an operator's route, to which no key is admitted, any will do until it is refused. */
function scopesFor({ routeOptions }: FastifyRequest): readonly Scope[] {
  const { access } = routeOptions.config;
  if (access?.kind === 'key') return access.scopes;
  return access?.kind === 'path' ? ['admin'] : scopeSchema.options;
}

function mayBeAnswer({ routeOptions }: FastifyRequest): boolean {
  const { url = '' } = routeOptions;
  return url === '/mcp' || url.endsWith('/answer') || url.endsWith('/tools/agent_llm');
}
