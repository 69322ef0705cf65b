import { hash } from 'node:crypto';
import {
  BatonError,
  JSON_TEXT_BOUNDS,
  JsonTextError,
  LARGE_JSON_TEXT_BOUNDS,
  MAX_BODY_BYTES,
  parseAndCountJson,
} from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LoopTurns } from './limits/loop-turns.ts';
import { MalformedBodyError, readBody } from './read-body.ts';

/** The rate counts each value of a body as so many bytes at least: some of a byte take as long to handle. */
const VALUE_WEIGHT = 64;
/** A body that counts so many bytes is parsed and handled in iterations of the event loop of their own. */
const LARGE_BODY_BYTES = 65_536;

/**
 * JSON bodies: bounded in depth before they are parsed; `__proto__`, `constructor.prototype` and integers that would be
 * rounded are refused. The bound on bytes is the server's (`bodyLimit`) and then the tenant's. Other content types are
 * refused with 415.
 */
export function installJsonBodyParser(app: FastifyInstance, loopTurns: LoopTurns): void {
  app.decorate('loopTurns', loopTurns);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload, done) => {
    const parse = (body: string, parsed: (value: unknown) => void) => {
      let value: unknown;
      try {
        value = parseRequestBody(request, body);
      } catch (thrown) {
        return done(thrown as Error);
      }
      parsed(value);
    };
    readBody(request, payload, (error, body) => {
      if (error !== null) return done(error);
      const inTurn = (run: () => void) => loopTurns.enter(tenantOf(request), run);
      const handle = (value: unknown) => {
        if (request.bodyWeight < LARGE_BODY_BYTES) done(null, value);
        else inTurn(() => done(null, value));
      };
      if (request.bodyBytes < LARGE_BODY_BYTES) parse(body, handle);
      else inTurn(() => parse(body, handle));
    });
  });
  app.decorateRequest('largeJsonDigest', '');
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('bodyWeight', 0);
  app.decorateRequest('socketBytesBeforeBody', undefined);
  app.decorateRequest('maxBodyBytes', MAX_BODY_BYTES);
}

/** Whose turn a request's work takes: empty for an operator. */
export function tenantOf({ credential }: FastifyRequest): string {
  return credential?.kind === 'key' ? credential.key.tenant : '';
}

function parseRequestBody(request: FastifyRequest, body: string): unknown {
  // Many clients set the content type on a DELETE or POST that has no body.
  const { takesLargeJson } = request.routeOptions.config;
  if (body === '') return undefined;
  if (takesLargeJson === true && request.headers['idempotency-key'] !== undefined)
    request.largeJsonDigest = hash('sha256', body, 'base64url');
  const { value, values } = parseBody(
    body,
    takesLargeJson === true ? LARGE_JSON_TEXT_BOUNDS : JSON_TEXT_BOUNDS,
  );
  request.bodyWeight = Math.max(request.bodyWeight, values * VALUE_WEIGHT);
  return value;
}

function parseBody(body: string, bounds: typeof JSON_TEXT_BOUNDS) {
  try {
    return parseAndCountJson(body, bounds);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    const { fault, message } = error;
    if (fault === 'malformed')
      throw new MalformedBodyError(`is not JSON that Baton takes: ${message.slice(0, 200)}`);
    if (fault === 'depth') throw new BatonError('invalid_arguments', `The JSON body ${message}.`);
    if (fault === 'number')
      throw new BatonError('invalid_arguments', `The JSON body ${message}.`, { field: error.path });
    throw new BatonError('limit_size', `The JSON body ${message}. Send less at once.`, {
      limit: fault,
      most: bounds[fault],
    });
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    loopTurns: LoopTurns;
  }
  interface FastifyRequest {
    /** How large the body is as the rate counts it: what was read of it, until it was parsed. */
    bodyWeight: number;
    /** What the text of a body of many records is known by, where its call has an idempotency key; empty otherwise. */
    largeJsonDigest: string;
  }
  interface FastifyContextConfig {
    /** True for a route whose body holds many records, such as a project. */
    takesLargeJson?: boolean;
  }
}
