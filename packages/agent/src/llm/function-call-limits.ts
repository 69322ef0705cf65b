import { LlmCallFailure } from '../api/llm-call-failure.ts';

/** A call of a function in a reply of any of the APIs, or a piece of one in a stream. Within text its quotation marks are escaped. */
const CALL = /"function"\s*:\s*\{|"type"\s*:\s*"(?:tool_use|function_call)"/g;

/** In a reply: a request is run with 100 at most. */
export const MAX_CALLS_OF_REPLY = 1_000;
/** In one event of a stream, which stands in one line and is worked on in one turn of the event loop. */
const MAX_CALLS_OF_EVENT = 200;

/**
 * Bounds the function calls in the text of a reply before it is worked on: each costs some hundred times as much as its text. In a stream
 * those of one event are bounded here, and those of all events as they are read.
 */
export class FunctionCallLimits {
  private readonly isStream: boolean;
  private calls = 0;

  constructor(isStream: boolean) {
    this.isStream = isStream;
  }

  /** Counts those in the next piece of the reply. Errors: LlmCallFailure `answer_too_large` once there are too many. */
  add(text: string): void {
    const lines = this.isStream ? text.split('\n') : [text];
    for (const [at, line] of lines.entries()) {
      this.calls = (at === 0 ? this.calls : 0) + (line.match(CALL)?.length ?? 0);
      if (this.isStream && this.calls > MAX_CALLS_OF_EVENT)
        throw tooManyCalls(`${MAX_CALLS_OF_EVENT} in one event`);
      if (this.calls > MAX_CALLS_OF_REPLY) throw tooManyCalls(`${MAX_CALLS_OF_REPLY}`);
    }
  }
}

/** @param most in words */
export function tooManyCalls(most: string): LlmCallFailure {
  return new LlmCallFailure(
    'answer_too_large',
    `The LLM endpoint's reply calls too many functions: more than ${most}, which Baton does not take.`,
  );
}
