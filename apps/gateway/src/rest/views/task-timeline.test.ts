import type { InteractionRecord, TaskInspection } from '@baton/store';
import { expect, test } from 'vitest';
import { taskTimelineOf } from './task-timeline.ts';

const task: TaskInspection = {
  taskId: 't',
  operation: 'o',
  principal: 'alice',
  status: 'completed',
  createdAt: 1,
  updatedAt: 9,
  expiresAt: 99,
  version: 1,
  input: {},
  journal: new Map(),
  interactions: [],
  retries: [],
};
const request = {
  call: {
    role: 'main',
    serviceType: 'generateText',
    attempt: 1,
    summary: 'm',
    request: { apiKey: null, messages: [] },
  },
} as const;
const common = { taskId: 't', operation: 'o', principal: 'alice', request };
const ended = (
  interactionId: string,
  status: InteractionRecord['status'],
  createdAt: number,
  endedAt: number,
): InteractionRecord => ({ ...common, interactionId, status, createdAt, endedAt });

const told = (inspection: TaskInspection) =>
  taskTimelineOf(inspection).map((entry) => {
    const { at, event } = entry;
    return `${Date.parse(at)} ${event}${'interactionId' in entry ? ` ${entry.interactionId}` : ''}`;
  });

test('a timeline is in the order of time, whatever the order of the interactions', () => {
  const interactions = [
    ended('a', 'answered', 1, 7),
    ended('b', 'expired', 1, 4),
    ended('c', 'cancelled', 5, 9),
    { ...common, interactionId: 'd', status: 'pending' as const, createdAt: 6, expiresAt: 50 },
  ];
  expect(told({ ...task, interactions })).toEqual([
    '1 created',
    '1 interaction_opened a',
    '1 interaction_opened b',
    '4 interaction_expired b',
    '5 interaction_opened c',
    '6 interaction_opened d',
    '7 interaction_answered a',
    '9 interaction_cancelled c',
    '9 completed',
  ]);
});

test('within one millisecond nothing stands before what led to it', () => {
  const interactions = [ended('a', 'answered', 1, 1), ended('b', 'answered', 1, 1)];
  expect(told({ ...task, updatedAt: 1, interactions })).toEqual([
    '1 created',
    '1 interaction_opened a',
    '1 interaction_answered a',
    '1 interaction_opened b',
    '1 interaction_answered b',
    '1 completed',
  ]);
});

test('a task that goes on has no end in its timeline', () => {
  expect(told({ ...task, status: 'input_required' })).toEqual(['1 created']);
});

test('a retry stands between its failure and what came of it, each with its facts', () => {
  const interactions = [ended('a', 'expired', 1, 5), ended('b', 'answered', 5, 7)];
  const retries = [{ at: 5, by: 'bob', failedAt: 5, code: 'interaction_expired', message: 'late' }];
  const payload = JSON.stringify({ code: 'agent_error', message: 'no luck', report: {} });
  const failed = { ...task, status: 'failed' as const, interactions, retries, payload };
  expect(told(failed)).toEqual([
    '1 created',
    '1 interaction_opened a',
    '5 interaction_expired a',
    '5 failed',
    '5 retried',
    '5 interaction_opened b',
    '7 interaction_answered b',
    '9 failed',
  ]);
  expect(taskTimelineOf(failed)).toMatchObject([
    {},
    {},
    {},
    { reason: { code: 'interaction_expired', message: 'late' } },
    { by: 'bob' },
    {},
    {},
    { reason: { code: 'agent_error', message: 'no luck' } },
  ]);
});
