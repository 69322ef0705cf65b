import { BatonError, describeYamlFault, JsonTextError, parseJson } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CORE_SCHEMA, load } from 'js-yaml';
import { tenantOf } from './json-body-parser.ts';
import { readBody } from './read-body.ts';

/** A longer text is no definition. With the marks below it bounds how long parsing holds the event loop. */
const MAX_YAML_BYTES = 65_536;
/** Lines, and marks that may begin a value within one: each costs far more than the characters of a long text. */
const MAX_YAML_MARKS = 4_000;
const MARK = /[\n,[{]/g;
/** The rate counts a byte of YAML as so many of JSON: it takes up to so many times as long to parse. */
const BYTE_WEIGHT = 10;
/** Each may multiply what the text says. */
const MAX_ALIASES = 8;

/** The registered media type (RFC 9512), and those that were in use before it. */
const MEDIA_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml'];
const YAML_TYPE = /^(application\/(x-)?yaml|text\/yaml)\b/i;

/**
 * Takes YAML (1.2, its core schema) beside JSON in the routes of this plugin; what it says must be JSON within JSON's bounds.
 * Its caller's key is known to be good before it is read (`refuseUnadmittedLargeBodies`), and it is parsed in a turn of its tenant.
 */
export function installYamlBodyParser(app: FastifyInstance): void {
  app.addContentTypeParser(MEDIA_TYPES, (request: FastifyRequest, payload, done) => {
    readBody(request, payload, (error, body) => {
      if (error !== null) return done(error);
      request.bodyWeight = Math.max(request.bodyWeight, request.bodyBytes * BYTE_WEIGHT);
      app.loopTurns.enter(tenantOf(request), () => {
        try {
          done(null, parseYaml(body));
        } catch (thrown) {
          done(thrown as Error);
        }
      });
    });
  });
}

/** True of a body that the parser above reads. */
export function hasYamlBody({ headers }: FastifyRequest): boolean {
  return YAML_TYPE.test(headers['content-type'] ?? '');
}

function parseYaml(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) {
    const message = `The YAML body has ${bytes} bytes; ${MAX_YAML_BYTES} are allowed.`;
    throw new BatonError('limit_size', message, { limit: 'yamlBytes', bytes, most: MAX_YAML_BYTES });
  }
  const marks = text.match(MARK)?.length ?? 0;
  if (marks > MAX_YAML_MARKS) {
    const message = `The YAML body has ${marks} lines, commas and opening brackets; ${MAX_YAML_MARKS} are allowed. Send it as JSON.`;
    throw new BatonError('limit_size', message, { limit: 'yamlMarks', most: MAX_YAML_MARKS });
  }
  try {
    const value: unknown = load(text, { schema: CORE_SCHEMA, maxAliases: MAX_ALIASES });
    // Through text, so that it is held to what any JSON body is held to.
    return parseJson(JSON.stringify(value ?? null));
  } catch (thrown) {
    if (thrown instanceof JsonTextError) throw unreadable(`what it says ${thrown.message}`);
    throw unreadable(describeYamlFault(text, thrown instanceof Error ? thrown.message : 'unreadable'));
  }
}

function unreadable(reason: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `The body is not YAML that Baton takes: ${reason.slice(0, 200)}`,
  );
}
