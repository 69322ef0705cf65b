import type { Tracer } from '@baton/tracing';
import type { EdgeLimits } from './edge/limits/edge-limits.ts';

export { DEFAULT_EDGE_LIMITS, type EdgeLimits } from './edge/limits/edge-limits.ts';

/** What one gateway needs to know; `apps/cli` parses it from the environment. */
export interface GatewayConfiguration {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Where operators alone are served, and no longer at `port`; undefined: they are served at `port`. 0 takes a free one. */
  readonly operatorPort?: number | undefined;
  /** Where the official conformance suite is served, on 127.0.0.1 and without credentials; undefined: nowhere. 0 takes a free one. */
  readonly conformancePort?: number | undefined;
  /** How this replica is called in `x-baton-replica`, in logs and in Redis. */
  readonly replica: string;
  readonly operatorToken: string | undefined;
  /** Where clients reach Baton, for metadata; undefined: as the request's host says. */
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  /** Browser origins that may call, beside the gateway's own. */
  readonly allowedOrigins: readonly string[];
  readonly metricsOpen: boolean;
  /** Records a span for each request; undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** The folder of the built console, served at /console; undefined: it is not served. */
  readonly consoleFolder?: string | undefined;
  /** How long a gateway still takes requests after SIGTERM while /readyz fails, in milliseconds. */
  readonly unreadyMs: number;
  /** How long requests under way may take after that, in milliseconds. */
  readonly drainMs: number;
  readonly edgeLimits: EdgeLimits;
}
