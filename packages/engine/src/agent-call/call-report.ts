import { BatonError, type Message, truncate, withContentNamed } from '@baton/protocol';
import type { Attempt, Budgets, FunctionCall } from './agent-call.ts';
import type { FailedAnswer } from './recall-pause.ts';

/** What ended a call: a budget that was used up, a failure that no recall helps, or the deadline of an interaction. */
export type Exhausted = keyof Budgets | 'final_error' | 'deadline';

/** Of a call that failed, kept with the error: which budget ended it, each attempt, its functions, the dialog as it stood. */
export interface CallReport {
  readonly exhausted: Exhausted;
  readonly budgets: Budgets;
  readonly attempts: readonly Attempt[];
  readonly functionCalls: readonly ReportedFunctionCall[];
  /** The last messages of the last request, each shortened. */
  readonly dialog: readonly Message[];
  /** How many messages of it are left out. */
  readonly omittedMessages: number;
}

type ReportedFunctionCall = Pick<FunctionCall, 'id' | 'name' | 'error_message' | 'repeated'>;

const MAX_DIALOG_BYTES = 8_192;
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_FUNCTION_CALLS = 20;
const MAX_ERROR_LENGTH = 200;

export function reportCall(
  exhausted: Exhausted,
  budgets: Budgets,
  attempts: readonly Attempt[],
  trace: readonly FunctionCall[],
  messages: readonly Message[],
): CallReport {
  const dialog: Message[] = [];
  let bytes = 0;
  for (const message of messages.toReversed()) {
    const short = shortMessage(message);
    bytes += new TextEncoder().encode(JSON.stringify(short)).length;
    if (bytes > MAX_DIALOG_BYTES) break;
    dialog.unshift(short);
  }
  return {
    exhausted,
    budgets,
    attempts,
    functionCalls: trace.slice(-MAX_FUNCTION_CALLS).map(shortFunctionCall),
    dialog,
    omittedMessages: messages.length - dialog.length,
  };
}

function shortFunctionCall({ id, name, repeated, error_message }: FunctionCall): ReportedFunctionCall {
  if (error_message === undefined) return { id, name, repeated };
  return { id, name, repeated, error_message: truncate(error_message, MAX_ERROR_LENGTH) };
}

function shortMessage(sent: Message): Message {
  const message = withContentNamed(sent);
  const content =
    typeof message.content === 'string' || message.content === null
      ? message.content
      : JSON.stringify(message.content);
  const short = content === null ? '' : truncate(content, MAX_MESSAGE_LENGTH);
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content: short };
  if (message.role !== 'assistant' || message.tool_calls === undefined)
    return { role: message.role, content: short };
  const tool_calls = message.tool_calls.map(({ id, function: { name, arguments: args } }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: args.length > MAX_ERROR_LENGTH ? '{}' : args },
  }));
  return { role: 'assistant', content: short, tool_calls };
}

export function answerInvalidError(summary: string, problem: string, report: CallReport): BatonError {
  const attempts = report.attempts.length;
  // Answers whose functions were run did fit.
  const misfits = report.attempts.filter(({ end }) => end === 'exception').length;
  return new BatonError(
    'answer_invalid',
    report.exhausted === 'maxInterruptSteps'
      ? `The answers to "${summary}" went on calling functions after the ${report.budgets.maxInterruptSteps} rounds that they may (maxInterruptSteps).`
      : `${misfits} ${misfits === 1 ? 'answer' : 'answers'} to "${summary}" did not fit what was asked for, and no attempt is left. The last one: ${problem}`,
    { problem, attempts, report },
  );
}

export function agentFailedError({ errorDetails }: FailedAnswer, report: CallReport): BatonError {
  const code = errorDetails.type === 'agent_refused' ? 'agent_refused' : 'agent_error';
  return new BatonError(code, `The agent's LLM call failed: ${errorDetails.message}`, {
    errorDetails,
    attempts: report.attempts.length,
    report,
  });
}

export function expiredError({ code, message, details }: BatonError, report: CallReport): BatonError {
  return new BatonError(code, message, { ...details, attempts: report.attempts.length, report });
}
