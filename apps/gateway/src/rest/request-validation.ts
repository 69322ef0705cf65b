import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { parseToolArguments } from '../tools/tool.ts';

/**
 * Parameters, query and body are read with the routes' zod schemas, by the reader that the tools use, so that REST
 * and MCP name a bad field in the same way. Responses are written as they are: their schemas describe, and a test
 * holds the two together; a check here could only turn a customer's data into a 500.
 */
export function installRequestValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart = 'body' }) => (data: unknown) => {
    try {
      return { value: parseToolArguments(schema, data) };
    } catch (thrown) {
      return { error: withRequestPart(thrown, httpPart) };
    }
  });
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** What is wrong with the whole (an array for an object) has no field of its own. */
function withRequestPart(thrown: unknown, part: string): Error {
  if (!(thrown instanceof BatonError)) return thrown as Error;
  if (thrown.details['field'] !== '') return thrown;
  return new BatonError(thrown.code, `${part}: ${thrown.message}`, { ...thrown.details, field: part });
}
