import { BatonError } from '@baton/protocol';
import type { ExpectedEtag } from '@baton/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const ifMatchShape = {
  'if-match': z
    .string()
    .optional()
    .describe('The ETag of what is changed, as it was read; * for any. Another one is refused with 412'),
};

/** As the OpenAPI document describes them: of what changes a definition, and of what may store a new one. */
export const ifMatchSchema = z.looseObject(ifMatchShape);
export const preconditionSchema = z.looseObject({
  ...ifMatchShape,
  'if-none-match': z.string().optional().describe('* stores it only where there is none of this name'),
});

/**
 * What the headers If-Match and If-None-Match of a change ask for (RFC 9110, 13.1): one entity tag or `*`. A weak tag counts as a
 * strong one: proxies that compress replies make them weak. Errors: `invalid_arguments` naming the header.
 */
export function readPrecondition({ headers }: FastifyRequest): ExpectedEtag {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (noneMatch !== undefined) {
    if (match !== undefined) throw refusal('If-None-Match', 'cannot be given with If-Match');
    if (noneMatch !== '*') throw refusal('If-None-Match', `must be * for a change, not ${noneMatch}`);
    return 'none';
  }
  if (match === undefined || match === '*') return match;
  const etag = /^(?:W\/)?"([\x21\x23-\x7e]{1,64})"$/.exec(match)?.[1];
  if (etag === undefined || etag === '*' || etag === 'none')
    throw refusal('If-Match', `must be * or one entity tag in quotes, as ETag gives it, not ${match}`);
  return etag;
}

export function sendEtag(reply: FastifyReply, etag: string): void {
  reply.header('etag', `"${etag}"`);
}

function refusal(field: string, problem: string): BatonError {
  return new BatonError('invalid_arguments', `${field}: ${problem.slice(0, 300)}`, { field });
}
