/** What a request of MCP 2026-07-28 has beside its method's own params. */
export interface RequestOf2026 {
  /** Whether its client knows the extension `io.modelcontextprotocol/tasks`. */
  readonly takesTasks: boolean;
  /** What a repeated call brings (basic/patterns/mrtr), as it came; undefined where the call begins. */
  readonly requestState: unknown;
  readonly inputResponses: unknown;
}
