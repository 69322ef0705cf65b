import { formatInteractionId, type Message } from '@baton/protocol';
import { taskRef } from '../records/keys.ts';
import type { Wait } from '../records/park-request.ts';
import type { WorkerShard } from '../shard/worker-shard.ts';
import type { StoreFixture } from './store-fixture.ts';
import { ANN, llmWait, newTask, sleepWait, type TestTenant } from './test-tenant.ts';

/** A call of a conversation's turn: its messages stand before those of the request, and its answer has a time of its own. */
export function turnWait(path: string, conversation: string, to: number, answerWithinMs?: number): Wait {
  const wait = llmWait(path);
  if (wait.kind === 'sleep') throw new Error('a sleep has no request');
  const history = { conversation, from: 0, to };
  const limit = answerWithinMs === undefined ? {} : { answerWithinMs };
  return { ...wait, request: { call: { ...wait.request.call, history, ...limit } } };
}

export const QUESTION: Message = { role: 'user', content: 'How are you?' };
export const REPLY: Message = { role: 'assistant', content: 'Well.' };

/** A turn as a program ends it. */
export function endedTurn(messages: readonly Message[] = [QUESTION, REPLY]) {
  return {
    path: '990',
    entry: 'append+{}',
    journal: [['980', 'read+1']] as const,
    title: 'How are you?',
    messages,
  };
}

/** A task of a conversation's turn, which a worker is to run. */
export function openTurn(testTenant: TestTenant): Promise<string> {
  return testTenant.openTask(newTask({ operation: 'ask_assistant', waits: [], ready: true }));
}

/** A conversation of three turns, two of which wait for one another. */
export async function runConversation(
  fixture: StoreFixture,
  testTenant: TestTenant,
  shard: WorkerShard,
): Promise<void> {
  const { conversations, tasks } = testTenant.store;
  const conversation = await openTurn(testTenant);
  const first = await fixture.loadSegment(shard);
  await first.turn.end(conversation, endedTurn());
  await first.turn.end(conversation, endedTurn());
  await first.settle({ status: 'completed', result: {} });

  const secondTask = await openTurn(testTenant);
  const second = await fixture.loadSegment(shard);
  await second.turn.begin(conversation);
  await openTurn(testTenant);
  const third = await fixture.loadSegment(shard);
  await third.turn.begin(conversation);
  await third.park({ journal: [['0', 'turn+{}']], drops: [], waits: [sleepWait('1', 60_000)] });
  await second.park({ journal: [], drops: [], waits: [turnWait('1', conversation, 2, 5_000)] });
  await tasks.read(ANN, secondTask);
  await testTenant.store.queries.interaction(ANN, formatInteractionId(secondTask, 1));
  await testTenant.answer(secondTask);
  const answered = await fixture.loadSegment(shard);
  await answered.turn.end(conversation, endedTurn());
  await answered.settle({ status: 'completed', result: {} });
  const woken = await fixture.loadSegment(shard);
  await woken.turn.begin(conversation);
  await conversations.page(ANN);
  await conversations.read(ANN, conversation);
  await woken.turn.end(conversation, { ...endedTurn([]), path: '5' });
  await conversations.delete(ANN, conversation);
  await woken.settle({ status: 'completed', result: { ref: taskRef(conversation) } });
}
