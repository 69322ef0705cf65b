import type { AnyJson } from '../../harness/mcp-client.ts';
import type { JourneyDeployment } from '../../journey/deployment/journey-deployment.ts';
import type { RetryingClient } from '../clients/retrying-client.ts';
import { checkAnsweredOnce } from '../checker/answered-once.ts';
import { checkNothingLeftOpen } from '../../journey/checks/nothing-left-open.ts';
import { SPECIALISTS } from './conversation-plan.ts';
import {
  conversationOf,
  differenceOf,
  imagesOf,
  inWords,
  messagesOf,
  usageOf,
} from './conversation-oracle.ts';
import { answersOf, type RunTurn } from './planned-turn.ts';

/** Evidence against: each turn ended once as planned, is in its conversation once, and its tokens count once everywhere. */
export async function checkConversation(
  deployment: JourneyDeployment,
  client: RetryingClient,
  turns: readonly RunTurn[],
): Promise<string[]> {
  const plans = turns.map(({ plan }) => plan);
  const conversationId = turns[0]?.taskId ?? '';
  const { dialog, ...shown } = await readConversation(client, conversationId);
  const difference = differenceOf(dialog, conversationOf(plans));
  const answered = plans.filter(({ fails }) => !fails).length;
  return [
    ...turns.flatMap(checkTurn),
    ...(difference === undefined ? [] : [`the conversation: ${difference}`]),
    ...(shown.turns === answered
      ? []
      : [`the conversation counts ${shown.turns} turns instead of ${answered}`]),
    ...compareUsage('the conversation', shown.usage, usageOf(plans)),
    ...(await checkReports(deployment, turns)),
    ...(await checkTasks(deployment, turns)),
    ...(await checkNothingLeftOpen(deployment)),
  ];
}

async function readConversation(client: RetryingClient, conversationId: string): Promise<AnyJson> {
  let page = await client.call('get_conversation', { conversationId });
  const dialog = [...page.dialog];
  while (page.next !== undefined) {
    page = await client.call('get_conversation', { conversationId, from: page.next });
    dialog.push(...page.dialog);
  }
  return { ...page, dialog };
}

function checkTurn({ plan, status }: RunTurn): string[] {
  const what = `turn ${plan.number}`;
  const against = compareUsage(what, status.usage, usageOf([plan]));
  if (plan.fails) {
    if (status.status === 'failed' && status.error?.code === 'agent_error') return against;
    return [...against, `${what} was to fail: ${JSON.stringify(status).slice(0, 300)}`];
  }
  const text = plan.primary.at(-1)?.text;
  if (status.result?.response !== text)
    return [...against, `${what} ended with ${JSON.stringify(status).slice(0, 300)} instead of ${text}`];
  const shown = (status.result.content ?? []).map(({ data }: AnyJson) => data).sort();
  if (shown.join() !== imagesOf(plan).sort().join())
    against.push(`${what} has ${shown.length} pictures instead of ${imagesOf(plan).length}, each once`);
  const difference = differenceOf(status.result.dialog.messages, messagesOf(plan).map(inWords));
  return difference === undefined ? against : [...against, `${what}'s own dialog: ${difference}`];
}

function compareUsage(what: string, found: AnyJson, expected: ReturnType<typeof usageOf>): string[] {
  return (['calls', 'inputTokens', 'outputTokens'] as const).flatMap((sum) =>
    found?.[sum] === expected[sum]
      ? []
      : [`the ${sum} of ${what} are ${found?.[sum]} instead of ${expected[sum]}`],
  );
}

/** GET /v1/usage: in all, by operation and by agent. */
async function checkReports(deployment: JourneyDeployment, turns: readonly RunTurn[]): Promise<string[]> {
  const plans = turns.map(({ plan }) => plan);
  const report = (by: string): Promise<AnyJson> =>
    deployment.rest('GET', `/usage?by=${by}`, undefined, deployment.key);
  const [byDay, byOperation, byAgent] = [
    await report('day'),
    await report('operation'),
    await report('agent'),
  ];
  const rowOf = ({ rows }: AnyJson, key: string) => rows.find((row: AnyJson) => row.key === key);
  return [
    ...compareUsage('the tenant', byDay.total, usageOf(plans)),
    ...compareUsage('ask_assistant', rowOf(byOperation, 'ask_assistant'), usageOf(plans)),
    ...['assistant', ...SPECIALISTS].flatMap((agent) => {
      const expected = usageOf(plans, agent);
      return expected.calls === 0 ? [] : compareUsage(agent, rowOf(byAgent, agent), expected);
    }),
  ];
}

/** Each message became one task, and each request of it was answered once. */
async function checkTasks(deployment: JourneyDeployment, turns: readonly RunTurn[]): Promise<string[]> {
  const tasks = new Map((await deployment.readTasks()).map((task) => [task.taskId, task]));
  const against = tasks.size === turns.length ? [] : [`${turns.length} messages became ${tasks.size} tasks`];
  for (const { plan, taskId } of turns) {
    const [task, what, planned] = [tasks.get(taskId), `turn ${plan.number}`, answersOf(plan).length];
    if (task === undefined) against.push(`${what} is no task`);
    else against.push(...checkAnsweredOnce(what, task));
    if (task?.interactions.length !== planned)
      against.push(`${what} made ${task?.interactions.length} requests, ${planned} planned`);
  }
  return against;
}
