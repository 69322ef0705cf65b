import { isRecord, parseJson } from '@baton/protocol';
import { print } from '../output/print.ts';
import { EXIT_CODES } from '../process/exit-codes.ts';
import { openRest } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { readTextFile } from '../settings/data-file.ts';
import { describeResult, withSummary } from './result-text.ts';

export interface AnswerFlags extends RestFlags {
  /** Reports instead that the LLM call failed, and why. */
  readonly error?: string;
}

/** A reply to an answer, as REST gives it. */
interface Confirmation {
  readonly interactionId: string;
  readonly taskId: string;
  readonly replayed?: boolean;
  readonly outcome: {
    readonly status: string;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly pending?: Readonly<Record<string, unknown>>;
    readonly problem?: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/**
 * `baton answer`: an answer in the place of an LLM. Returns the exit code: 1 where the task failed, or asks again because the answer does not fit.
 * Errors: those of RestClient, ConfigurationError for a file.
 */
export async function runAnswer(
  interactionId: string,
  given: string | undefined,
  flags: AnswerFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const agentLLMResponse = readResponse(given, flags);
  const rest = await openRest(
    flags,
    environment,
    'a key with scope mcp for requests of its own, agent for those of all',
  );
  const path = `/interactions/${encodeURIComponent(interactionId)}/answer`;
  const reply = await rest.request<Confirmation>('POST', path, { agentLLMResponse });
  const { status, problem, pending } = reply.outcome;
  // It was no answer: it does not fit, or says that the LLM failed. One that calls functions is followed by a request too.
  const isAskedAgain =
    problem !== undefined || (pending !== undefined && agentLLMResponse['status'] === 'error');
  const shown =
    pending === undefined
      ? reply
      : { ...reply, outcome: { ...reply.outcome, pending: await withSummary(pending, rest) } };
  print({ value: reply, ...describeOutcome(shown, isAskedAgain) }, flags);
  const isRefused = status === 'failed' || status === 'cancelled' || isAskedAgain;
  return isRefused ? EXIT_CODES.refused : EXIT_CODES.ok;
}

/** An answer goes as text, which Baton reads as JSON where JSON was asked for; an envelope of its own goes as it is. */
function readResponse(given: string | undefined, { error }: AnswerFlags): Readonly<Record<string, unknown>> {
  if (error !== undefined) return { status: 'error', errorDetails: { message: error } };
  const text =
    given === undefined || given === '-'
      ? readTextFile('-')
      : given.startsWith('@')
        ? readTextFile(given.slice(1))
        : given;
  return envelopeIn(text) ?? { status: 'success', data: { text } };
}

function envelopeIn(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return isRecord(value) && 'status' in value && ('data' in value || 'errorDetails' in value)
    ? value
    : undefined;
}

function describeOutcome({ taskId, replayed, outcome }: Confirmation, isAskedAgain: boolean) {
  const { status, result, pending, problem, error } = outcome;
  const taken = replayed === true ? 'The same answer was taken before' : 'The answer is taken';
  if (error !== undefined)
    return { text: `${taken}. The task ${taskId} ended as ${status} with ${error.code}: ${error.message}` };
  if (pending !== undefined) {
    const reason = problem === undefined ? '' : `: ${problem}`;
    const again = isAskedAgain ? `${taken}, and the request is asked for again${reason}` : taken;
    const { text = '', ...more } = describeResult(pending);
    return { text: `${again}.\n${text}`, ...more };
  }
  if (result === undefined)
    return { text: `${taken}. The task ${taskId} is ${status}: baton show ${taskId}` };
  const { text = '', ...more } = describeResult(result);
  return { text: `${taken}. The task ${taskId} is ${status}.\n${text}`, ...more };
}
