import { LlmCallFailure } from '../api/llm-call-failure.ts';

/** A call of a function in a reply of any of the APIs, or a piece of one in a stream. Within text its quotation marks are escaped. */
const CALL = /"function"\s*:\s*\{|"type"\s*:\s*"(?:tool_use|function_call)"/g;
/** What a call begins with in a stream; an API may say the names of the functions that were offered, too. */
const NAME = /"name"\s*:\s*"/g;

/** In a reply: a request is run with 100 at most. */
const MAX_CALLS = 1_000;
/** In one event of a stream, which stands in one line and is worked on in one turn of the event loop. */
const MAX_CALLS_OF_LINE = 200;

/** Bounds the function calls in a reply before it is worked on: each costs some hundred times as much as its text. */
export class ReplyCalls {
  private readonly isStream: boolean;
  private calls = 0;
  private ofLine = 0;

  constructor(isStream: boolean) {
    this.isStream = isStream;
  }

  /** Counts those in the next piece of the reply. Errors: LlmCallFailure `answer_too_large` once there are too many. */
  add(text: string): void {
    if (!this.isStream) {
      this.calls += count(CALL, text);
    } else {
      this.calls += count(NAME, text);
      for (const [at, line] of text.split('\n').entries()) {
        this.ofLine = (at === 0 ? this.ofLine : 0) + count(CALL, line);
        if (this.ofLine > MAX_CALLS_OF_LINE) throw tooMany(`more than ${MAX_CALLS_OF_LINE} in one event`);
      }
    }
    if (this.calls > MAX_CALLS) throw tooMany(`more than ${MAX_CALLS}`);
  }
}

function count(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function tooMany(calls: string): LlmCallFailure {
  return new LlmCallFailure(
    'answer_too_large',
    `The LLM endpoint's reply calls too many functions: ${calls}, which Baton does not take.`,
  );
}
