import {
  BatonError,
  exceedsWideObjectFields,
  jsonDepth,
  MAX_BODY_BYTES,
  MAX_JSON_DEPTH,
} from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { readBody } from './read-body.ts';

/**
 * JSON bodies: bounded in depth before they are parsed, `__proto__` and `constructor.prototype` refused. The bound on
 * bytes is the server's (`bodyLimit`) and then the tenant's. Other content types are refused with 415.
 */
export function installJsonBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload, done) => {
    readBody(request, payload, (error, body) => {
      if (error !== null) return done(error);
      try {
        done(null, parseBody(request, body));
      } catch (thrown) {
        done(thrown as Error);
      }
    });
  });
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('maxBodyBytes', MAX_BODY_BYTES);
}

function parseBody(request: FastifyRequest, body: string): unknown {
  requirePlainUtf8(request);
  if (jsonDepth(body, MAX_JSON_DEPTH) > MAX_JSON_DEPTH) {
    throw new BatonError('invalid_arguments', `The JSON body nests deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  // Many clients set the content type on a DELETE or POST that has no body.
  if (body === '') return undefined;
  // A shorter text cannot hold as many: most requests pay nothing for it.
  const mayBeWide = body.length > MAX_WIDE_FIELDS * SHORTEST_FIELD;
  if (mayBeWide && exceedsWideObjectFields(MAX_WIDE_FIELDS, body, MAX_JSON_DEPTH)) {
    throw new BatonError(
      'limit_size',
      `The large objects of the JSON body hold more than ${MAX_WIDE_FIELDS} fields in all. Send less at once.`,
      { limit: 'fields', most: MAX_WIDE_FIELDS },
    );
  }
  return parseJson(body);
}

/** Each costs some microseconds wherever it is parsed, copied, sorted or checked; more would hold up everyone. */
const MAX_WIDE_FIELDS = 20_000;
/** `"":1,` */
const SHORTEST_FIELD = 5;

function parseJson(body: string): unknown {
  try {
    return secureJson.parse(body, null, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new MalformedJson(error instanceof Error ? error.message : 'unreadable');
  }
}

/** Bodies are read as uncompressed UTF-8: another charset or encoding would be read wrongly. */
function requirePlainUtf8({ headers }: FastifyRequest): void {
  const charset = /charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (/^(utf-?8|us-ascii)$/i.test(charset) && encoding === 'identity') return;
  throw new BatonError(
    'unsupported_media_type',
    `The body must be plain UTF-8; it says charset ${charset.slice(0, 40)}, encoding ${encoding.slice(0, 40)}.`,
  );
}

/** The body is no JSON, or JSON that Baton does not take. MCP answers it with its own code (-32700). */
export class MalformedJson extends BatonError {
  constructor(reason: string) {
    super('invalid_arguments', `The body is not JSON that Baton takes: ${reason.slice(0, 200)}`);
  }
}
