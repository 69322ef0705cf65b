import cors from '@fastify/cors';
import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Browsers name the page that calls: only known pages may, or any page could speak to a Baton on the same machine or
 * network (DNS rebinding; MCP, basic/transports, security warning). Other clients send no Origin and pass. The files of the console are
 * given to any page, so that a console whose own address is not known is there to say what its calls are told.
 */
export function refuseForeignOrigins(app: FastifyInstance, allowed: readonly string[]): void {
  const mayCall = originCheck(allowed);
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    const { anyOrigin = false } = request.routeOptions.config;
    if (origin === undefined || anyOrigin || mayCall(origin, request)) return done();
    const problem =
      `The origin '${origin.slice(0, 200)}' may not call. ` +
      "Operators allow origins with BATON_ALLOWED_ORIGINS, and that of Baton's own console with BATON_PUBLIC_URL.";
    done(new BatonError('origin_refused', problem));
  });
}

const ANY_ORIGIN = '*';

/** The origins of the settings, and Baton's own where that is known: its console's. */
export function originsThatMayCall({
  allowedOrigins,
  publicUrl,
}: {
  readonly allowedOrigins: readonly string[];
  readonly publicUrl: string | undefined;
}): readonly string[] {
  return publicUrl === undefined ? allowedOrigins : [...allowedOrigins, new URL(publicUrl).origin];
}

function originCheck(allowed: readonly string[]) {
  const known = new Set(allowed.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  const any = known.has(ANY_ORIGIN);
  return (origin: string, { headers }: Pick<FastifyRequest, 'headers'>) =>
    any || known.has(origin.toLowerCase()) || isLoopback(origin, headers.host);
}

/** What pages may read of a response beside its body and a few headers that all may (Fetch, CORS-safelisted response-header name). */
const EXPOSED_HEADERS = [
  'Mcp-Session-Id',
  'WWW-Authenticate',
  'Retry-After',
  'Location',
  'Allow',
  'Preference-Applied',
  'Baton-Continuation',
  'X-Baton-Replica',
  'X-Request-Id',
];

/** How long browsers keep the answer to a preflight: Chromium takes two hours at most. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * Has browsers show responses to pages of the origins that may call (Fetch, CORS protocol), refusals included, and answers
 * preflights. It comes behind `refuseForeignOrigins`: whoever is still there may call. Never with credentials: Baton takes keys in
 * `Authorization`, which a page sets itself, and no cookies.
 */
export async function allowCrossOriginRequests(
  app: FastifyInstance,
  allowed: readonly string[],
): Promise<void> {
  app.addHook('onRoute', (route) => {
    // The plugin's route for preflights, which carry no credential.
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { isPublic: true };
  });
  await app.register(cors, {
    origin: allowed.includes(ANY_ORIGIN) ? ANY_ORIGIN : (origin, done) => done(null, origin !== undefined),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    credentials: false,
    strictPreflight: false,
  });
}

/** The headers by which a browser shows a response to the page that asked. */
export type CrossOriginHeaders = (
  request: Pick<FastifyRequest, 'headers'>,
) => Readonly<Record<string, string>>;

/** The same headers for what is refused before there is a route, and so before the plugin sees it. */
export function crossOriginHeadersOf(allowed: readonly string[]): CrossOriginHeaders {
  const mayCall = originCheck(allowed);
  const any = allowed.includes(ANY_ORIGIN);
  return (request) => {
    const { origin } = request.headers;
    if (origin === undefined || !mayCall(origin, request)) return {};
    return {
      'access-control-allow-origin': any ? ANY_ORIGIN : origin,
      'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
      ...(any ? {} : { vary: 'Origin' }),
    };
  };
}

/** A page of this same server, both on the loopback interface, whose names no DNS can rebind. */
function isLoopback(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false;
  const [page, server] = [new URL(origin), new URL(`http://${host}`)];
  return page.port === server.port && LOOPBACK.has(page.hostname) && LOOPBACK.has(server.hostname);
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
