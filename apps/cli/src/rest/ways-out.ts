/** What Baton says is to be done, for a client of MCP or REST, and what that is at a terminal. */
export const WAYS_OUT: readonly (readonly [said: string, typed: string])[] = [
  ['List what waits with pending_interactions.', 'List what waits with: baton pending'],
  ['Create it with POST /v1/tenants.', 'Create it with: baton tenants create'],
  ['GET /v1/tools lists them.', 'docs/clients.md lists them.'],
];

/** The words of an error with the way out that a terminal has. */
export function atTerminal(message: string): string {
  return WAYS_OUT.reduce((text, [said, typed]) => text.replace(said, typed), message);
}
