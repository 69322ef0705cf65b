/**
 * The gateway: stateless replicas. `gateway` starts, drains and stops one; `app` composes it in the order in which a request
 * meets its parts. `call` is one request's context and admission; `edge` is HTTP (credential, origin, body, errors, SSE);
 * `mcp` serves /mcp by `tools`, `resources`, `sessions` and `subscriptions`; `delegation` presents tasks, posts answers and
 * waits; `rest` serves /v1.
 */
export { type RunningGateway, startGateway } from './gateway.ts';
export { createLogger } from './log.ts';
