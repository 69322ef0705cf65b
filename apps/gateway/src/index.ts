/**
 * The gateway: stateless replicas. `app` composes it in the order in which a request meets its parts: `edge`
 * (credential, origin, body, errors), `mcp` (two ways to one surface), `tools`, `delegation` (waiting, presenting),
 * and `rest` beside them. `gateway` is its life, from start to drain.
 */
export { type RunningGateway, startGateway } from './gateway.ts';
export { makeLog } from './log.ts';
