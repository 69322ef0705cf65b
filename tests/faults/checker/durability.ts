import type { Evidence, Exchange, Violation } from './evidence.ts';
import { hasEnded } from './final-state.ts';

/** I4: a success is reported only after it is durable: nothing that a reply reported is undone later. */
export function* checkDurability(evidence: Evidence): Generator<Violation> {
  yield* checkTasksExist(evidence);
  yield* checkEnds(evidence);
  yield* checkAcceptedAnswers(evidence);
  yield* checkRefusals(evidence);
}

function* checkTasksExist(evidence: Evidence): Generator<Violation> {
  const missing = new Set<string>();
  for (const { standing } of evidence.reportedTasks())
    if (!evidence.tasks.has(standing.taskId)) missing.add(standing.taskId);
  for (const taskId of missing) yield violation(`task ${taskId}, which a reply reported, does not exist`);
}

function* checkEnds(evidence: Evidence): Generator<Violation> {
  const reported = new Set<string>();
  for (const { standing } of evidence.reportedTasks()) {
    const task = evidence.tasks.get(standing.taskId);
    if (task === undefined || !hasEnded(standing.status)) continue;
    if (task.status === standing.status && task.end === standing.end) continue;
    reported.add(
      `task ${task.taskId} was reported as ${standing.status} (${standing.end}), and is ${task.status} (${task.end})`,
    );
  }
  for (const { request, reply } of evidence.exchanges) {
    if (request.f !== 'cancel' || reply?.verdict !== 'ok') continue;
    const status = evidence.tasks.get(request.taskId)?.status;
    if (status !== undefined && status !== 'cancelled')
      reported.add(`task ${request.taskId} was reported as cancelled, and is ${status}`);
  }
  for (const what of reported) yield violation(what);
}

type Answered = Exchange & { request: { f: 'answer' } };
const wasAccepted = ({ reply }: Exchange) => reply?.verdict === 'accepted' || reply?.verdict === 'replayed';

/** An accepted answer is `replayed` when repeated, its interaction is never pending again, and no other answer to it is accepted. */
function* checkAcceptedAnswers(evidence: Evidence): Generator<Violation> {
  const taken = new Map<string, { mark: string; at: number; reported: number }>();
  const answers = evidence.exchanges.filter((one): one is Answered => one.request.f === 'answer');
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
  for (const { standing, exchange } of evidence.reportedTasks()) {
    for (const { interactionId } of standing.pending) {
      const first = taken.get(interactionId);
      if (first !== undefined && exchange.from > first.at) waiting.add(interactionId);
    }
  }
  for (const { interactions } of evidence.final.tasks)
    for (const { interactionId, status } of interactions)
      if (status !== 'answered' && taken.has(interactionId)) waiting.add(interactionId);
  for (const interactionId of waiting)
    yield violation(
      `${interactionId} was reported as answered ('${taken.get(interactionId)?.mark}'), and is not`,
    );
}

/** A refusal as too late or already answered is true in the final state. */
function* checkRefusals(evidence: Evidence): Generator<Violation> {
  const statuses = new Map(
    evidence.final.tasks.flatMap(({ interactions }) =>
      interactions.map(({ interactionId, status }) => [interactionId, status] as const),
    ),
  );
  for (const { request, reply } of evidence.exchanges) {
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
