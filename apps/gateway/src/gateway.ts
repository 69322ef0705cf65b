import {
  askAssistantOperation,
  binaryClassifyOperation,
  callPromptOperation,
  classifyOperation,
  type Operation,
  toolOperations,
} from '@baton/operations';
import { Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import { recordAnswerWait } from '@baton/tracing';
import type { Logger } from 'pino';
import { type Audience, buildApp } from './app.ts';
import { type ConformanceProxy, startConformanceProxy } from './conformance/conformance-proxy.ts';
import { findFixtureResource } from './conformance/fixture-resources.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { createReplicaWideLimits } from './edge/replica-wide-limits.ts';
import { Listener } from './listener.ts';
import { GatewayMetrics } from './monitoring/metrics.ts';

export interface RunningGateway {
  readonly url: string;
  /** Where operators are served; `url`, unless they have a listener of their own. */
  readonly operatorUrl: string;
  /** Where the official conformance suite is run, if it is. */
  readonly conformanceUrl: string | undefined;
  /** Fails readiness for `unreadyMs`, takes no new connections, and ends requests under way within `drainMs`. */
  stop(): Promise<void>;
}

/**
 * Starts one replica; it serves when this returns. `added` toolOperations are for tests and benchmarks: tools by their own name,
 * and former versions by any other.
 */
export async function startGateway(
  configuration: GatewayConfiguration,
  store: Store,
  log: Logger,
  added: ReadonlyMap<string, Operation> = new Map(),
): Promise<RunningGateway> {
  const { tracer } = configuration;
  if (tracer !== undefined) store.onUnanswered((wait) => recordAnswerWait(tracer, wait));
  let draining = false;
  const replicaWideLimits = createReplicaWideLimits(configuration);
  const options = {
    operations: new Map<string, Operation>([
      ...toolOperations,
      ...[askAssistantOperation, callPromptOperation, classifyOperation, binaryClassifyOperation].map(
        (operation): [string, Operation] => [operation.name, operation as Operation],
      ),
      ...[...added].filter(([key, { name }]) => key === name),
    ]),
    programs: new Programs(added),
    draining: () => draining,
    replicaWideLimits,
    metrics: new GatewayMetrics(store, replicaWideLimits.metrics),
    ...(configuration.conformancePort !== undefined && { findFixtureResource }),
  };
  const { port, operatorPort, conformancePort, unreadyMs, drainMs } = configuration;
  let conformance: ConformanceProxy | undefined;
  const listen = async (audience: Audience, at: number) => {
    const app = await buildApp(configuration, store, log, { ...options, audience });
    return Listener.open(app, configuration.host, at, options.draining);
  };
  const listeners: Pick<Listener, 'url' | 'close'>[] = [];
  try {
    listeners.push(await listen(operatorPort === undefined ? 'everyone' : 'clients', port));
    if (operatorPort !== undefined) listeners.push(await listen('operators', operatorPort));
    conformance =
      conformancePort === undefined
        ? undefined
        : await startConformanceProxy(listeners[0]?.url ?? '', store, conformancePort);
  } catch (error) {
    for (const listener of listeners) await listener.close(0);
    throw error;
  }
  const [first, second] = listeners;
  return {
    url: first?.url ?? '',
    operatorUrl: (second ?? first)?.url ?? '',
    conformanceUrl: conformance?.url,
    async stop() {
      draining = true;
      // Load balancers poll readiness: until they have seen it fail, requests still come here.
      await new Promise((resolve) => setTimeout(resolve, unreadyMs));
      conformance?.close();
      await Promise.all(listeners.map((listener) => listener.close(drainMs)));
    },
  };
}
