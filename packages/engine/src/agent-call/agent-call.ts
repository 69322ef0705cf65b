import type {
  AnsweredToolCall,
  AttachableBlock,
  DelegatedCall,
  Json,
  JsonObject,
  Message,
  RequestRole,
  ServiceType,
  ToolDefinition,
  Validation,
} from '@baton/protocol';
import type { Program } from '../program/effect.ts';

/**
 * A delegated LLM request that ends in a parsed value or in a named error: what is asked, how answers are read, which
 * functions the model may call, and how often it is asked again.
 */
export interface AgentCall<T> {
  readonly role: RequestRole;
  /** Without it the role's configuration decides. */
  readonly modelId?: string | undefined;
  /** The dialog that the call begins with; its last message is what is asked. */
  readonly messages: readonly Message[];
  /** A few words for lists and errors: what the request is about. */
  readonly summary: string;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** `generateObject` where the parser brings a schema, `generateText` otherwise. */
  readonly serviceType?: ServiceType;
  /** Whose choice the model and the temperature are; the operation's without it. */
  readonly chosenBy?: DelegatedCall['chosenBy'];
  /** Merged into each request: hints, tools that the model's own side runs, sampling parameters. */
  readonly parameters?: JsonObject;
  readonly parser: AnswerParser<T>;
  readonly functions?: FunctionSet;
  /** The function calls that `messages` hold: one of them that is made again is answered by a note. */
  readonly earlierCalls?: readonly FunctionCall[];
  readonly handlers?: Handlers;
  readonly budgets?: Partial<Budgets>;
  readonly delivery?: Pick<
    DelegatedCall,
    'route' | 'answerWithinMs' | 'history' | 'agentId' | 'key' | 'method'
  >;
}

export interface AnswerParser<T> {
  /** Reads an answer's `data`. A problem is quoted to the model, which is asked again. */
  read(data: Json): Program<Validation<T>>;
  /** What the request says of the answer: `schema`, `objectName`. */
  readonly parameters?: JsonObject;
  /** What the model is told of the answer's form, in words; stands at the end of the system message. */
  readonly instructions?: string;
  /** Functions whose calls are an answer, which `read` reads; those of the call itself are run. */
  readonly answerFunctions?: ReadonlySet<string>;
}

export interface FunctionSet {
  readonly tools: readonly ToolDefinition[];
  /** Runs one call. A BatonError that it throws becomes the call's error result. */
  run(call: Pick<AnsweredToolCall, 'id' | 'name' | 'arguments'>): Program<FunctionResult>;
  /** How many calls of one answer are unfinished at a time; 8 by default. */
  readonly atOnce?: number;
}

export type FunctionResult =
  /**
   * `text` is what the model reads; without it, the result as JSON, or as it is where it is a string. `content` stands behind that in the
   * tool message, as far as there is room.
   */
  | {
      readonly ok: true;
      readonly result: Json;
      readonly text?: string;
      readonly content?: readonly AttachableBlock[];
      /** As an attempt has them: those of the request by which the function was answered. */
      readonly unsupportedHints?: readonly string[];
    }
  | { readonly ok: false; readonly error: string };

/** One call of a function in the trace. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
  readonly result?: Json;
  /** What the model was told, bounded. */
  readonly result_str: string;
  readonly error_message?: string;
  readonly unsupportedHints?: readonly string[];
  /** It was called before with the same arguments, so it was not run. */
  readonly repeated: boolean;
}

/** A call that was run, with the content that it brought beside its result. */
export interface FunctionRun {
  readonly call: FunctionCall;
  readonly content: readonly AttachableBlock[];
}

export interface Handlers {
  /** What is said after an answer that cannot be used. */
  readonly exception?: (errorMessage: string) => readonly Message[];
  /** The words of a call's tool message, in the place of its result. Nothing else is said after functions were called. */
  readonly interrupt?: (result: FunctionCall) => string;
}

/** How often a whole call may ask again, by reason. */
export interface Budgets {
  /** Answers that cannot be used. */
  readonly maxExceptionRetries: number;
  /** Answers whose functions are run. The request after the last of them offers no functions. */
  readonly maxInterruptSteps: number;
  /** Failures of the agent's LLM that may pass. */
  readonly maxRecalls: number;
}

export const DEFAULT_BUDGETS: Budgets = { maxExceptionRetries: 3, maxInterruptSteps: 5, maxRecalls: 2 };

/** One request of a call and how it ended. `number` is the request's `attempt`. */
export interface Attempt {
  readonly number: number;
  readonly route: number;
  readonly end: 'accepted' | 'exception' | 'interrupt' | 'error' | 'expired';
  /** What was wrong, bounded. */
  readonly problem?: string;
  /** How many functions were called. */
  readonly calls?: number;
  /** Milliseconds of the pause after it. */
  readonly pausedMs?: number;
  /** The hints of the request that whoever answered could not pass on to the model, as the answer's `unsupportedHints` has them. */
  readonly unsupportedHints?: readonly string[];
}

export interface AgentCallOutcome<T> {
  readonly value: T;
  /** The answer in words. */
  readonly text: string;
  /** What the call adds to its dialog: the turns with function calls, and the final answer; no exception branch. */
  readonly added: readonly Message[];
  /** What the accepted answer brought beside words; it stands in the task's result too. */
  readonly content: readonly AttachableBlock[];
  readonly trace: readonly FunctionCall[];
  readonly attempts: readonly Attempt[];
}
