import { Counter, Gauge } from 'prom-client';

/** What the edge refuses, slows and closes; the registry of `/metrics` takes them in. */
export class EdgeMetrics {
  readonly wrongCredentials = new Counter({
    name: 'baton_wrong_credentials_total',
    help: 'Credentials that were shown and refused',
    registers: [],
  });
  readonly slowedRefusals = new Counter({
    name: 'baton_slowed_refusals_total',
    help: 'Refusals that were held back before their connection was closed',
    registers: [],
  });
  readonly closedConnections = new Counter({
    name: 'baton_closed_connections_total',
    help: 'Connections that a limit of the gateway closed',
    labelNames: ['reason'],
    registers: [],
  });
  readonly connections = new Gauge({
    name: 'baton_connections',
    help: 'Open connections',
    registers: [],
  });
  readonly bufferBytes = new Gauge({
    name: 'baton_buffer_bytes',
    help: 'Bytes of large bodies being received, and of large replies not read yet',
    registers: [],
  });

  get all() {
    const { wrongCredentials, slowedRefusals, closedConnections, connections, bufferBytes } = this;
    return [wrongCredentials, slowedRefusals, closedConnections, connections, bufferBytes];
  }
}

/** Why a connection was closed. */
export type CloseReason = 'address' | 'total' | 'pipelining' | 'stalled' | 'buffers';
