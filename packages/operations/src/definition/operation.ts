import type { ProgramDefinition } from '@baton/engine';
import type { z } from 'zod';
import type { PromptText } from '../prompt-kit/prompt-text.ts';

/** MCP's tool annotations (2025-11-25, server/tools). Hints, never a promise that anything enforces. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * A program that a tool call starts, with the tool's texts and schemas. Inputs are parsed with `input` at the
 * edge, once; the program runs over what came out. `result` describes the program's own fields of the finished
 * `structuredContent`; the runner adds `status`, `operation` and `taskId` when the task ends.
 */
export interface Operation<Input = unknown, Result = unknown> extends ProgramDefinition<Input> {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly result: z.ZodType<Result>;
  readonly hints: ToolHints;
  /** One sentence about a result, for clients that read only text. */
  summarize(result: Result): string;
}

/** An operation that is a tool of every gateway, with what people read of it. */
export interface ToolOperation<Input = unknown, Result = unknown> extends Operation<Input, Result> {
  /** The fixed part of its prompt, which `baton://prompts/{operation}` shows and `generate_prompt` begins with. */
  readonly promptText: PromptText;
  /** What people may want to do after it, a sentence each. */
  readonly nextSteps: readonly string[];
}
