import { BatonError, JsonTextError, parseJson } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'yaml';
import { readBody } from './read-body.ts';

/** A longer text is no definition: its JSON has to fit half of it. It bounds how long parsing holds the event loop. */
const MAX_YAML_BYTES = 65_536;
/** Aliases may be resolved to so many nodes in all. */
const MAX_ALIASES = 20;

/** Takes YAML (1.2, its core schema) beside JSON in the routes of this plugin; what it says must be JSON within JSON's bounds. */
export function installYamlBodyParser(app: FastifyInstance): void {
  app.addContentTypeParser('application/yaml', (request: FastifyRequest, payload, done) => {
    readBody(request, payload, (error, body) => {
      if (error !== null) return done(error);
      try {
        done(null, parseYaml(body));
      } catch (thrown) {
        done(thrown as Error);
      }
    });
  });
}

function parseYaml(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) {
    const message = `The YAML body has ${bytes} bytes; ${MAX_YAML_BYTES} are allowed.`;
    throw new BatonError('limit_size', message, { limit: 'yamlBytes', bytes, most: MAX_YAML_BYTES });
  }
  try {
    const value: unknown = parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'error', schema: 'core' });
    // Through text, so that it is held to what any JSON body is held to.
    return parseJson(JSON.stringify(value ?? null));
  } catch (thrown) {
    if (thrown instanceof JsonTextError) throw unreadable(`what it says ${thrown.message}`);
    throw unreadable(thrown instanceof Error ? thrown.message : 'unreadable');
  }
}

function unreadable(reason: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `The body is not YAML that Baton takes: ${reason.slice(0, 200)}`,
  );
}
