/** What is served and is no REST, and why: a new route must be described in the OpenAPI document or stand here. */
export const ROUTES_OUTSIDE_OPENAPI: Readonly<Record<string, string>> = {
  'GET /healthz': 'liveness',
  'GET /readyz': 'readiness',
  'GET /metrics': 'Prometheus',
  'GET /.well-known/oauth-protected-resource': 'RFC 9728',
  'GET /.well-known/oauth-protected-resource/mcp': 'RFC 9728',
  'POST /mcp': 'MCP',
  'GET /mcp': 'MCP',
  'DELETE /mcp': 'MCP',
  'HEAD /mcp': 'refused, naming what is taken',
  'PUT /mcp': 'refused, naming what is taken',
  'PATCH /mcp': 'refused, naming what is taken',
  'OPTIONS /mcp': 'refused, naming what is taken',
};
