import { BufferBudget } from './limits/buffer-budget.ts';
import type { EdgeLimits } from './limits/edge-limits.ts';
import { EdgeMetrics } from './limits/edge-metrics.ts';
import { LoopTurns } from './limits/loop-turns.ts';
import { RefusalCosts } from './refusal-costs.ts';

/**
 * What all listeners of a replica count against: memory is the process's, and no port is a way around what refusals cost at
 * another. Connections are bounded at each listener, so that clients never take the places of operators.
 */
export interface ReplicaWideLimits {
  readonly metrics: EdgeMetrics;
  readonly bufferBudget: BufferBudget;
  readonly refusalCosts: RefusalCosts;
  readonly loopTurns: LoopTurns;
}

export function createReplicaWideLimits({
  edgeLimits,
  trustProxy,
}: {
  readonly edgeLimits: EdgeLimits;
  readonly trustProxy: boolean;
}): ReplicaWideLimits {
  const metrics = new EdgeMetrics();
  return {
    metrics,
    bufferBudget: new BufferBudget(edgeLimits, metrics),
    refusalCosts: new RefusalCosts(edgeLimits, trustProxy, metrics),
    loopTurns: new LoopTurns(),
  };
}
