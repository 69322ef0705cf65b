/** What a request of MCP 2026-07-28 says of its client, and how that is shown requests for an LLM. */
export interface RequestOf2026 {
  /**
   * `tool`: by a directive, the result of the call. `input_required`: within the call, which it repeats with the answers. `task`: as what a
   * task asks, whose handle is the result of the call.
   */
  readonly dialect: 'tool' | 'input_required' | 'task';
  /** Whether its model may be asked (`sampling/createMessage`), and whether with tools. */
  readonly takesSampling: boolean;
  readonly takesTools: boolean;
  /** Whether it knows the extension `io.modelcontextprotocol/tasks`. */
  readonly takesTasks: boolean;
  /** What a repeated call brings (basic/patterns/mrtr), as it came; undefined where the call begins. */
  readonly requestState: unknown;
  readonly inputResponses: unknown;
}
