import { BATON_VERSION } from '@baton/protocol';
import { openTracing, type Tracing } from '@baton/tracing';
import type { Settings } from '../settings/environment.ts';

/** What a role traces with; without a tracer where no place for traces is set. */
export async function openRoleTracing(
  settings: Settings,
  role: 'gateway' | 'worker',
  replica: string,
  log: Parameters<typeof openTracing>[3],
): Promise<{ readonly tracer: Tracing['tracer'] | undefined; close(): Promise<void> }> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return { tracer: undefined, close: async () => {} };
  return openTracing(role, replica, BATON_VERSION, log);
}
