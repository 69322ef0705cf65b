import { answerWith, createModelFactory } from '@baton/agent/llm';
import type { EndpointRoute } from '@baton/store';
import { LRUCache } from 'lru-cache';
import type { AddressGuard } from './address-guard.ts';
import { TenantConnections } from './tenant-connections.ts';

/** Models of endpoints that a worker keeps ready; one more is made anew, as is one that was not used for so many milliseconds. */
const MAX_MODELS = 256;
const UNUSED_MS = 60_000;

/** What names a model of an endpoint, as it is configured now. */
export interface EndpointModelOptions {
  readonly tenant: string;
  /** Another key, address or kind of API is another model. */
  readonly route: EndpointRoute;
  readonly modelId: string;
  readonly apiKey: string | undefined;
}

/** Asks a model of an endpoint for the answer to a request. */
export type AskModel = ReturnType<typeof answerWith>;

/**
 * The models of tenants' endpoints, each made once for each version of its route: what is learned of an endpoint, as the parameters
 * that it refuses, is forgotten with it.
 */
export class EndpointModels {
  readonly connections: TenantConnections;
  private readonly made = new LRUCache<string, AskModel>({
    max: MAX_MODELS,
    ttl: UNUSED_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });

  constructor(guard: AddressGuard) {
    this.connections = new TenantConnections(guard);
  }

  of(options: EndpointModelOptions): AskModel {
    const { tenant, route, modelId } = options;
    // The key stands in the route as it is sealed.
    const name = JSON.stringify([tenant, modelId, route]);
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const made = this.make(options);
    this.made.set(name, made);
    return made;
  }

  private make({ tenant, route, modelId, apiKey }: EndpointModelOptions): AskModel {
    const model = createModelFactory({
      provider: route.kind,
      endpoint: route.baseUrl,
      apiKey,
      fetch: this.connections.fetchOf(tenant),
    });
    return answerWith(model(modelId), {
      secret: apiKey,
      headersOf: ({ interactionId }) => ({ 'idempotency-key': interactionId }),
    });
  }
}
