import { z } from 'zod';
import { named } from './shared-schemas.ts';

/** A refusal as REST sends it (RFC 9457), with what a machine can use of it. */
const problem = named(
  'Problem',
  z.looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What went wrong, with which value, and the way out'),
    code: z.string().describe('What went wrong, for programs'),
    field: z.string().optional().describe('The field of the request that is at fault'),
    retryAfterMs: z.number().optional(),
  }),
);

/** Every route that needs a credential may answer with these. */
const EVERYWHERE: readonly number[] = [400, 401, 403, 413, 415, 429, 503];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is malformed; `field` names where',
  401: 'No credential, or one that is not valid; WWW-Authenticate says how to get one',
  403: 'The credential lacks a scope, or the tenant is suspended',
  404: 'There is no such thing, or it is not yours',
  409: 'It conflicts with what is there',
  410: 'It is over: expired or cancelled',
  412: 'It is not the one that If-Match or If-None-Match asks for',
  413: 'It is larger than the limit',
  415: 'The body is not of a media type that the route takes',
  422: 'What was sent can be read and not used',
  429: 'Too many requests, or too many open; Retry-After says when to come back',
  500: 'Something failed inside Baton',
  502: 'What answers for an LLM failed',
  503: 'Redis does not answer; repeat the request',
};

/** What every route may answer with that needs none: too many connections. */
const WITHOUT_CREDENTIAL: readonly number[] = [429];

/** The problem responses of a route: those of every route, and its own. */
export function problemResponses(own: readonly number[], isPublic: boolean): Record<number, object> {
  const statuses = [...(isPublic ? WITHOUT_CREDENTIAL : EVERYWHERE), ...own];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: DESCRIPTIONS[status], content: { 'application/problem+json': { schema: problem } } },
    ]),
  );
}
