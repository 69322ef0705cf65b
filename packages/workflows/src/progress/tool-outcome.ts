import type { JsonObject, WireError } from '@baton/protocol';
import type { ArgumentProblem } from '../definition/workflow-tool.ts';

/** What became of a step's call, as whoever made it says. */
export type ToolOutcome =
  /** The tool's `structuredContent`. */
  | { readonly kind: 'completed'; readonly output: JsonObject }
  /** Completed, with an output of so many characters of JSON that it is not kept. */
  | { readonly kind: 'too_long'; readonly length: number }
  /** `taskId`: of the task whose end it is. */
  | {
      readonly kind: 'failed';
      readonly error: WireError;
      readonly repeat: boolean;
      readonly taskId?: string | undefined;
    }
  /** Not called: the arguments do not fit the tool's input schema. */
  | { readonly kind: 'refused'; readonly problems: readonly ArgumentProblem[] }
  /** The tool waits for an LLM call of its caller: its directive. */
  | { readonly kind: 'delegated'; readonly taskId: string; readonly directive: JsonObject }
  /** The tool goes on as a task, and needs nothing of its caller. */
  | { readonly kind: 'working'; readonly taskId: string }
  /** Not called: the time of the run was used up. */
  | { readonly kind: 'out_of_time' }
  /** The run was cut off while it was being called: whether it took effect is unknown. */
  | { readonly kind: 'interrupted' };

/** A resource as MCP embeds it (2025-11-25, EmbeddedResource). */
export interface EmbeddedResource extends JsonObject {
  uri: string;
}
