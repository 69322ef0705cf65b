import { Buffers } from './limits/buffers.ts';
import type { EdgeLimits } from './limits/edge-limits.ts';
import { EdgeMetrics } from './limits/edge-metrics.ts';
import { RefusalCosts } from './refusal-costs.ts';

/**
 * What all listeners of a replica count against: memory is the process's, and no port is a way around what refusals cost at
 * another. Connections are bounded at each listener, so that clients never take the places of operators.
 */
export interface ReplicaGuards {
  readonly metrics: EdgeMetrics;
  readonly buffers: Buffers;
  readonly refusalCosts: RefusalCosts;
}

export function createReplicaGuards({
  edgeLimits,
  trustProxy,
}: {
  readonly edgeLimits: EdgeLimits;
  readonly trustProxy: boolean;
}): ReplicaGuards {
  const metrics = new EdgeMetrics();
  return {
    metrics,
    buffers: new Buffers(edgeLimits, metrics),
    refusalCosts: new RefusalCosts(edgeLimits, trustProxy, metrics),
  };
}
