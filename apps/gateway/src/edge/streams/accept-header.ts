import { BatonError } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** Which of the two forms of a reply a client takes. */
export interface AcceptedReplies {
  readonly json: boolean;
  readonly stream: boolean;
  /** It names streams, rather than taking anything. */
  readonly namesStream: boolean;
}

/** What clients of MCP send, as its transport has them (basic/transports, Sending Messages to the Server): read at a glance. */
const USUAL = `${JSON_TYPE}, ${STREAM_TYPE}`;
const BOTH: AcceptedReplies = { json: true, stream: true, namesStream: true };

/** By the `Accept` header (RFC 9110, section 12.5.1): the most specific range that matches a type decides. Without one, both. */
export function acceptedReplies({ headers }: FastifyRequest): AcceptedReplies {
  if (headers.accept === USUAL) return BOTH;
  const ranges = parseRanges(headers.accept ?? '');
  return {
    json: accepts(ranges, JSON_TYPE),
    stream: accepts(ranges, STREAM_TYPE),
    namesStream: (ranges.get(STREAM_TYPE) ?? 0) > 0,
  };
}

/** Errors: `not_acceptable` for who takes neither form of a reply. */
export function requireReplyAccepted(request: FastifyRequest): AcceptedReplies {
  const accepted = acceptedReplies(request);
  if (accepted.json || accepted.stream) return accepted;
  const { method, routeOptions } = request;
  throw new BatonError(
    'not_acceptable',
    `${method} ${routeOptions.url} replies with ${JSON_TYPE} or ${STREAM_TYPE}: send an Accept header with one of them, or with both.`,
    { header: 'Accept', accepts: [JSON_TYPE, STREAM_TYPE] },
  );
}

/** Errors: `not_acceptable` for who takes no stream. */
export function requireStreamAccepted(request: FastifyRequest): void {
  if (acceptedReplies(request).stream) return;
  const { method, routeOptions } = request;
  throw new BatonError(
    'not_acceptable',
    `${method} ${routeOptions.url} is a stream: send "Accept: ${STREAM_TYPE}".`,
    { header: 'Accept', accepts: [STREAM_TYPE] },
  );
}

type Ranges = ReadonlyMap<string, number>;

/** The weight of each media range; other parameters than `q` say nothing of these two types. */
function parseRanges(accept: string): Ranges {
  const ranges = new Map<string, number>();
  for (const item of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (range === '') continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const q = weight === undefined ? 1 : Number(weight);
    ranges.set(range, Number.isNaN(q) ? 1 : q);
  }
  return ranges;
}

function accepts(ranges: Ranges, type: string): boolean {
  if (ranges.size === 0) return true;
  const [main] = type.split('/');
  return (ranges.get(type) ?? ranges.get(`${main}/*`) ?? ranges.get('*/*') ?? 0) > 0;
}
