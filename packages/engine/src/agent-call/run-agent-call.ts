import {
  type AgentAnswer,
  answerAsMessage,
  BatonError,
  type Correction,
  type DelegatedCall,
  isRecord,
  type Json,
  type LlmRequest,
  MAX_PROBLEM_LENGTH,
  type Message,
  readAttachableBlocks,
  readToolCalls,
  truncate,
} from '@baton/protocol';
import {
  addContent,
  askAgent,
  discardAnswer,
  lookupRole,
  type Program,
  reachCheckpoint,
  sleep,
} from '../program/effect.ts';
import { type AgentCall, type AgentCallOutcome, type Attempt, DEFAULT_BUDGETS } from './agent-call.ts';
import {
  agentFailedError,
  answerInvalidError,
  type CallReport,
  type Exhausted,
  expiredError,
  reportCall,
} from './call-report.ts';
import { Dialog } from './dialog.ts';
import { FunctionRuns } from './function-runs.ts';
import { type FailedAnswer, mayRecall, recallPauseMs } from './recall-pause.ts';

/** What is wrong, as an attempt keeps it. */
const MAX_ATTEMPT_PROBLEM = 300;
/** Of an answer's `unsupportedHints` so many are kept, of so many characters each. */
const MAX_HINTS = 8;
const MAX_HINT = 64;
/** What is wrong, as whoever answered is told it beside the request. */
const MAX_CORRECTION_PROBLEM = 2_000;

/**
 * Asks an agent until its answer can be used. An answer with function calls has them run and is asked to go on; one that
 * does not parse is asked for again with the problem quoted; a failure that may pass is asked again after a pause. Each
 * counts against a budget of the whole call. What fails for good, is not answered in time, or has used up its wrong answers,
 * is asked of the next route of its role.
 *
 * Errors: `answer_invalid`, `agent_error`, `agent_refused`, `interaction_expired`, each with a CallReport under `report`.
 */
export function* runAgentCall<T>(call: AgentCall<T>): Program<AgentCallOutcome<T>> {
  const budgets = call.budgets === undefined ? DEFAULT_BUDGETS : { ...DEFAULT_BUDGETS, ...call.budgets };
  const dialog = new Dialog(call);
  const functions = call.functions === undefined ? undefined : new FunctionRuns(call.functions, call);
  const attempts: Attempt[] = [];
  let route = call.delivery?.route ?? 0;
  let [exceptions, interrupts, recalls] = [0, 0, 0];
  let correction: Correction | undefined;

  for (;;) {
    const offersFunctions = functions !== undefined && interrupts < budgets.maxInterruptSteps;
    const messages = dialog.messages(functions !== undefined && !offersFunctions && interrupts > 0);
    const number = attempts.length + 1;
    // To go on from what functions gave is no attempt more at the same.
    const attempt = number - interrupts;
    const asked = toDelegatedCall(call, messages, offersFunctions, attempt, route, correction);
    correction = undefined;
    const report = (exhausted: Exhausted, last: readonly Message[] = []): CallReport =>
      reportCall(exhausted, budgets, attempts, functions?.trace ?? [], [...messages, ...last]);
    const answer = yield* askOnce(asked);

    if (answer instanceof BatonError || answer.status === 'error') {
      yield* discardAnswer();
      if (!(answer instanceof BatonError) && mayRecall(answer) && recalls < budgets.maxRecalls) {
        const pausedMs = recallPauseMs(asked, answer, recalls);
        attempts.push({ ...failedAttempt(number, route, answer), pausedMs });
        yield* sleep(pausedMs);
        recalls++;
        continue;
      }
      attempts.push(failedAttempt(number, route, answer));
      if (yield* hasRouteAfter(route)) {
        route++;
        continue;
      }
      if (answer instanceof BatonError) throw expiredError(answer, report('deadline'));
      throw agentFailedError(answer, report(mayRecall(answer) ? 'maxRecalls' : 'final_error'));
    }

    const data = answer.data as Json;
    const called = functions === undefined ? [] : readToolCalls(data);
    const calls = called.some(({ name }) => call.parser.answerFunctions?.has(name)) ? [] : called;
    if (functions !== undefined && offersFunctions && calls.length > 0) {
      const named = dialog.withFreshIds(calls);
      dialog.addInterrupt(data, named, yield* functions.run(named));
      attempts.push({
        number,
        route,
        end: 'interrupt',
        calls: calls.length,
        ...unsupportedHintsOf(data),
      });
      interrupts++;
      // What the functions gave stays; a retry of the task asks on from here, as often as the call may ask at first.
      if (yield* reachCheckpoint()) {
        [exceptions, recalls] = [0, 0];
        route = call.delivery?.route ?? 0;
      }
      continue;
    }

    const fit = yield* call.parser.read(data);
    if (fit.ok) {
      attempts.push({ number, route, end: 'accepted', ...unsupportedHintsOf(data) });
      const added = dialog.added(data);
      const { blocks, unread } = readAttachableBlocks(data);
      yield* addContent(blocks, unread);
      return {
        value: fit.value,
        text: answerAsMessage(data),
        added,
        content: blocks,
        trace: functions?.trace ?? [],
        attempts,
      };
    }
    yield* discardAnswer();
    const isLateCall = calls.length > 0;
    const problem = isLateCall
      ? 'no function can be called any more'
      : problemOf(fit.problem, data, functions !== undefined || offersTools(asked.request));
    const end = { number, route, end: 'exception' } as const;
    attempts.push({ ...end, problem: truncate(problem, MAX_ATTEMPT_PROBLEM) });
    if (exceptions < budgets.maxExceptionRetries) exceptions++;
    else if (yield* hasRouteAfter(route)) route++;
    else
      throw answerInvalidError(
        call.summary,
        problem,
        report(isLateCall ? 'maxInterruptSteps' : 'maxExceptionRetries', [dialog.answered(data)]),
      );
    dialog.addException(data, problem);
    correction = correctionOf(answer, problem, attempt + 1 + budgets.maxExceptionRetries - exceptions);
  }

  function* hasRouteAfter(last: number): Program<boolean> {
    const { routes } = yield* lookupRole(call.role);
    return last + 1 < routes;
  }
}

/** What is wrong with an answer; one that calls a function of a request without any is told so first. */
function problemOf(problem: string, data: Json, isOffering: boolean): string {
  const isUnoffered = !isOffering && readToolCalls(data).length > 0;
  return truncate(isUnoffered ? `no function is offered here; ${problem}` : problem, MAX_PROBLEM_LENGTH);
}

/** Whether a caller's own request has tools, which Baton does not run. */
function offersTools({ tools }: LlmRequest): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

/** What of the request's hints did not reach the model; an agent need not say. */
function unsupportedHintsOf(data: Json): Pick<Attempt, 'unsupportedHints'> {
  const given = isRecord(data) ? data['unsupportedHints'] : undefined;
  const hints = Array.isArray(given)
    ? given.filter((hint) => typeof hint === 'string').slice(0, MAX_HINTS)
    : [];
  return hints.length === 0 ? {} : { unsupportedHints: hints.map((hint) => truncate(hint, MAX_HINT)) };
}

/** The answer, or the error of an interaction that nobody answered in time. */
function* askOnce(call: DelegatedCall): Program<AgentAnswer | BatonError> {
  try {
    return yield* askAgent(call);
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'interaction_expired') return thrown;
    throw thrown;
  }
}

function failedAttempt(number: number, route: number, failure: FailedAnswer | BatonError): Attempt {
  const isExpired = failure instanceof BatonError;
  const { message } = isExpired ? failure : failure.errorDetails;
  const problem = truncate(
    isExpired ? message : `${failure.errorDetails.type ?? 'error'}: ${message}`,
    MAX_ATTEMPT_PROBLEM,
  );
  return { number, route, end: isExpired ? 'expired' : 'error', problem };
}

/** The gateway has put the interaction's id into the answer; a release before this one has not. */
function correctionOf(answer: AgentAnswer, problem: string, mostAttempts: number): Correction {
  const { interactionId } = answer;
  const corrected = { problem: truncate(problem, MAX_CORRECTION_PROBLEM), mostAttempts };
  return typeof interactionId === 'string' ? { ...corrected, interactionId } : corrected;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function toDelegatedCall(
  call: AgentCall<unknown>,
  messages: readonly Message[],
  offersFunctions: boolean,
  attempt: number,
  route: number,
  correction: Correction | undefined,
): DelegatedCall {
  const { role, modelId, summary, maxTokens, temperature, parser, functions, delivery, chosenBy } = call;
  // Each replay comes here, and V8 takes thirty times as long for a literal that begins with a spread.
  const own = modelId === undefined ? { apiKey: null, messages } : { apiKey: null, modelId, messages };
  const request: Writable<LlmRequest> = Object.assign({}, call.parameters, parser.parameters, own);
  if (maxTokens !== undefined) request.maxTokens = maxTokens;
  if (temperature !== undefined) request.temperature = temperature;
  if (functions !== undefined) setTools(request, offersFunctions ? functions.tools : []);
  const serviceType =
    call.serviceType ?? (parser.parameters?.['schema'] === undefined ? 'generateText' : 'generateObject');
  const asked: Writable<DelegatedCall> = { role, serviceType, attempt, summary, request };
  if (chosenBy !== undefined) asked.chosenBy = chosenBy;
  if (delivery !== undefined) Object.assign(asked, delivery);
  if (route > 0) asked.route = route;
  if (correction !== undefined) asked.correction = correction;
  return asked;
}

/** Tools of the model's own side, which the call's parameters may name, are offered as long as functions are. */
function setTools(request: Writable<LlmRequest>, tools: readonly unknown[]): void {
  const own = Array.isArray(request['tools']) ? request['tools'].filter(isRecord) : [];
  delete request['tools'];
  if (tools.length > 0) request['tools'] = [...own, ...tools];
  else
    for (const choice of ['toolChoice', 'tool_choice', 'parallelToolCalls', 'parallel_tool_calls'])
      delete request[choice];
}
