import { formatInteractionId, type Scope } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { DataChange } from '../resources/resource-kind.ts';
import { SubscriptionIndex, type Subscriber } from './subscription-index.ts';
import { RESOURCE_LIST } from './notification-writer.ts';

const TASK = '0197c1d6-0000-8000-8000-000000000000';
const OTHER_TASK = '0197c1d7-0000-8000-8000-000000000000';
const ofProject = (path: string, project = 'C:\\Häuser/1') =>
  `baton://projects/${encodeURIComponent(project)}/${path}`;

const project = (
  fields: string[],
  { created = false, shaped = false, name = 'C:\\Häuser/1' } = {},
): DataChange => ({
  kind: 'project',
  project: name,
  fields: new Set(fields),
  created,
  shaped,
});
const task = (taskId: string, listed = false, principal = 'ann'): DataChange => ({
  kind: 'task',
  taskId,
  principal,
  listed,
});

const notifyOf = (index: SubscriptionIndex, change: DataChange) => void [...index.notify(change)];

/** Counts how often the index looks at it. */
class CountingSubscriber implements Subscriber {
  readonly notified: string[] = [];
  visited = 0;
  private readonly who: Subscriber['identity'];

  constructor(principal = 'ann', scopes: Scope[] = ['mcp']) {
    this.who = { principal, scopes: new Set(scopes) };
  }

  get identity() {
    this.visited++;
    return this.who;
  }

  notify(what: string): void {
    this.notified.push(what);
  }
}

const URIS = {
  projects: 'baton://projects',
  status: ofProject('status?tag=x'),
  tasks: ofProject('tasks'),
  task: ofProject('tasks/1.2?tag=x'),
  report: ofProject('complexity-report'),
  chart: ofProject('complexity-report/chart?tag=x'),
  rules: ofProject('rules'),
  files: ofProject('files'),
  file: ofProject('files/a.md'),
  elsewhere: ofProject('tasks', 'another'),
  delegated: `baton://tasks/${TASK}`,
  interaction: `baton://interactions/${formatInteractionId(TASK, 2)}`,
  prompt: 'baton://prompts/parse_prd',
  unknown: 'baton://of-a-later-release',
} as const;
type Name = keyof typeof URIS;

const CASES: [string, DataChange, Name[]][] = [
  ['its tasks', project(['task', 'updated']), ['status', 'tasks', 'task']],
  ['its rules', project(['rules']), ['status', 'rules']],
  ['a file', project(['file'], { shaped: true }), ['status', 'files', 'file']],
  ['its report', project(['report']), ['report', 'chart']],
  ['what it is about', project(['about']), ['status', 'rules']],
  ['a tag', project(['meta'], { shaped: true }), ['status', 'tasks', 'task', 'report', 'chart']],
  ['its beginning', project(['about'], { created: true }), ['projects', 'status', 'rules']],
  ['another project', project(['task', 'rules', 'file'], { name: 'another' }), ['elsewhere']],
  ['a project that nobody named', project(['task'], { created: true, name: 'third' }), ['projects']],
  ['a task', task(TASK), ['delegated', 'interaction']],
  ['another task', task(OTHER_TASK, true), []],
  ["another principal's task", task(TASK, true, 'bob'), []],
];

test.each(CASES)(
  'a change of %s notifies whoever subscribed to what shows it, and nobody else',
  (_what, change, names) => {
    const index = new SubscriptionIndex();
    const subscriber = new CountingSubscriber();
    const subscriptions = Object.values(URIS).map((uri) => index.subscribe(subscriber, uri));
    notifyOf(index, change);
    expect(subscriber.notified.toSorted()).toEqual(names.map((name) => URIS[name]).toSorted());
    for (const one of subscriptions) if (one) index.unsubscribe(one);
    notifyOf(index, change);
    expect(subscriber.notified).toHaveLength(names.length);
  },
);

test('a change of a list notifies those whose list it is, until they are removed', () => {
  const index = new SubscriptionIndex();
  const [ann, bob, agent] = [
    new CountingSubscriber('ann'),
    new CountingSubscriber('bob'),
    new CountingSubscriber('helper', ['agent']),
  ];
  const all = [ann, bob, agent];
  const notifiedOf = (change: DataChange) => {
    for (const one of all) one.notified.length = 0;
    notifyOf(index, change);
    return all.filter(({ notified }) => notified.includes(RESOURCE_LIST));
  };
  for (const one of all) index.addSubscriber(one);
  expect(notifiedOf(task(TASK, true))).toEqual([ann, agent]);
  expect(notifiedOf(task(TASK, false))).toEqual([]);
  expect(notifiedOf(project(['task'], { created: true }))).toEqual([ann, bob]);
  expect(notifiedOf(project(['file'], { shaped: true }))).toEqual([ann, bob]);
  expect(notifiedOf(project(['task'], { shaped: true }))).toEqual([]);
  index.removeSubscriber(ann);
  index.removeSubscriber(agent);
  expect(notifiedOf(task(TASK, true))).toEqual([]);
  expect(notifiedOf(project(['meta']))).toEqual([bob]);
});

test('a change visits only subscribers that it concerns, however many others there are', () => {
  const index = new SubscriptionIndex();
  const crowd = Array.from({ length: 1_000 }, (_, n) => new CountingSubscriber(`principal-${n}`));
  for (const [n, one] of crowd.entries()) {
    index.addSubscriber(one);
    for (let at = 0; at < 100; at++) index.subscribe(one, ofProject(`tasks/${at}`, `project-${n}`));
  }
  for (const one of crowd) one.visited = 0;
  const visited = (change: DataChange) => {
    notifyOf(index, change);
    return crowd.flatMap((one, n) => (one.visited > 0 ? [n] : []));
  };
  expect(visited(task(TASK, false, 'principal-7'))).toEqual([]);
  expect(visited(task(TASK, true, 'principal-7'))).toEqual([7]);
  expect(visited(project(['task'], { name: 'project-9' }))).toEqual([7, 9]);
  expect(crowd[9]?.notified).toHaveLength(100);
  expect(visited(project(['task'], { name: 'a project that nobody named' }))).toEqual([7, 9]);
});
