/** Routes that are not part of the REST API, with the reason. Any other route must be in the OpenAPI document. */
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
