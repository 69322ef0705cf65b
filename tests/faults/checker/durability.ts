import type { HistoryIndex, Exchange } from './history-index.ts';
import type { Violation } from './violation.ts';
import { hasEnded } from './final-state.ts';

/** I4: a success is reported only after it is durable: nothing that a reply reported is undone later. */
export function* checkDurability(index: HistoryIndex): Generator<Violation> {
  yield* checkTasksExist(index);
  yield* checkEnds(index);
  yield* checkAcceptedAnswers(index);
  yield* checkRefusals(index);
}

function* checkTasksExist(index: HistoryIndex): Generator<Violation> {
  const missing = new Set<string>();
  for (const { reportedTask } of index.reportedTasks())
    if (!index.tasks.has(reportedTask.taskId)) missing.add(reportedTask.taskId);
  for (const taskId of missing) yield violation(`task ${taskId}, which a reply reported, does not exist`);
}

function* checkEnds(index: HistoryIndex): Generator<Violation> {
  const reported = new Set<string>();
  for (const { reportedTask } of index.reportedTasks()) {
    const task = index.tasks.get(reportedTask.taskId);
    if (task === undefined || !hasEnded(reportedTask.status)) continue;
    if (task.status === reportedTask.status && task.end === reportedTask.end) continue;
    reported.add(
      `task ${task.taskId} was reported as ${reportedTask.status} (${reportedTask.end}), and is ${task.status} (${task.end})`,
    );
  }
  for (const { request, reply } of index.exchanges) {
    if (request.f !== 'cancel' || reply?.verdict !== 'ok') continue;
    const status = index.tasks.get(request.taskId)?.status;
    if (status !== undefined && status !== 'cancelled')
      reported.add(`task ${request.taskId} was reported as cancelled, and is ${status}`);
  }
  for (const what of reported) yield violation(what);
}

type Answered = Exchange & { request: { f: 'answer' } };
const wasAccepted = ({ reply }: Exchange) => reply?.verdict === 'accepted' || reply?.verdict === 'replayed';

/** An accepted answer is `replayed` when repeated, its interaction is never pending again, and no other answer to it is accepted. */
function* checkAcceptedAnswers(index: HistoryIndex): Generator<Violation> {
  const taken = new Map<string, { mark: string; at: number; reported: number }>();
  const answers = index.exchanges.filter((one): one is Answered => one.request.f === 'answer');
  for (const { request, reply, ...rest } of answers) {
    if (reply === undefined || !wasAccepted({ request, reply, ...rest })) continue;
    const { interactionId, mark } = request;
    const first = taken.get(interactionId);
    if (first !== undefined && first.mark !== mark)
      yield violation(
        `two answers to ${interactionId} were reported as accepted: '${first.mark}' and '${mark}'`,
      );
    if (first === undefined || reply.at < first.at)
      taken.set(interactionId, { mark, at: reply.at, reported: 0 });
  }
  for (const { request, reply, from } of answers) {
    const first = taken.get(request.interactionId);
    if (first === undefined || reply === undefined || first.mark !== request.mark || from <= first.at)
      continue;
    if (reply.verdict !== 'replayed')
      yield violation(`'${request.mark}' was reported as accepted, and later '${reply.verdict}'`);
  }
  const waiting = new Set<string>();
  for (const { reportedTask, exchange } of index.reportedTasks()) {
    for (const { interactionId } of reportedTask.pending) {
      const first = taken.get(interactionId);
      if (first !== undefined && exchange.from > first.at) waiting.add(interactionId);
    }
  }
  for (const { interactions } of index.final.tasks)
    for (const { interactionId, status } of interactions)
      if (status !== 'answered' && taken.has(interactionId)) waiting.add(interactionId);
  for (const interactionId of waiting)
    yield violation(
      `${interactionId} was reported as answered ('${taken.get(interactionId)?.mark}'), and is not`,
    );
}

/** A refusal as too late or already answered is true in the final state. */
function* checkRefusals(index: HistoryIndex): Generator<Violation> {
  const statuses = new Map(
    index.final.tasks.flatMap(({ interactions }) =>
      interactions.map(({ interactionId, status }) => [interactionId, status] as const),
    ),
  );
  for (const { request, reply } of index.exchanges) {
    if (request.f !== 'answer' || reply === undefined) continue;
    const status = statuses.get(request.interactionId);
    const untrue =
      reply.verdict === 'interaction_already_answered'
        ? status !== 'answered'
        : (reply.verdict === 'interaction_expired' || reply.verdict === 'interaction_cancelled') &&
          status === 'answered';
    if (untrue)
      yield violation(
        `'${request.mark}' was refused with ${reply.verdict}, and ${request.interactionId} is ${status}`,
      );
  }
}

function violation(what: string): Violation {
  return { invariant: 'I4', what };
}
