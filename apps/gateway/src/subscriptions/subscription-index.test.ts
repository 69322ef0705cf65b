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

/** Someone who counts how often they are thought of. */
class Someone implements Subscriber {
  readonly heard: string[] = [];
  thoughtOf = 0;
  private readonly who: Subscriber['identity'];

  constructor(principal = 'ann', scopes: Scope[] = ['mcp']) {
    this.who = { principal, scopes: new Set(scopes) };
  }

  get identity() {
    this.thoughtOf++;
    return this.who;
  }

  notify(what: string): void {
    this.heard.push(what);
  }
}

const URIS = {
  projects: 'baton://projects',
  status: ofProject('status?tag=x'),
  tasks: ofProject('tasks'),
  task: ofProject('tasks/1.2?tag=x'),
  report: ofProject('complexity-report'),
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
  ['its report', project(['report']), ['report']],
  ['what it is about', project(['about']), ['status', 'rules']],
  ['a tag', project(['meta'], { shaped: true }), ['status', 'tasks', 'task', 'report']],
  ['its beginning', project(['about'], { created: true }), ['projects', 'status', 'rules']],
  ['another project', project(['task', 'rules', 'file'], { name: 'another' }), ['elsewhere']],
  ['a project that nobody named', project(['task'], { created: true, name: 'third' }), ['projects']],
  ['a task', task(TASK), ['delegated', 'interaction']],
  ['another task', task(OTHER_TASK, true), []],
  ["another principal's task", task(TASK, true, 'bob'), []],
];

test.each(CASES)(
  'of %s hears whoever subscribed to what shows it, and to nothing else',
  (_what, change, names) => {
    const audience = new SubscriptionIndex();
    const someone = new Someone();
    const subscriptions = Object.values(URIS).map((uri) => audience.subscribe(someone, uri));
    audience.notify(change);
    expect(someone.heard.toSorted()).toEqual(names.map((name) => URIS[name]).toSorted());
    for (const one of subscriptions) if (one) audience.unsubscribe(one);
    audience.notify(change);
    expect(someone.heard).toHaveLength(names.length);
  },
);

test('of a list hears whose list it is, until they leave', () => {
  const audience = new SubscriptionIndex();
  const [ann, bob, agent] = [new Someone('ann'), new Someone('bob'), new Someone('helper', ['agent'])];
  const all = [ann, bob, agent];
  const whoHears = (change: DataChange) => {
    for (const one of all) one.heard.length = 0;
    audience.notify(change);
    return all.filter(({ heard }) => heard.includes(RESOURCE_LIST));
  };
  for (const one of all) audience.addSubscriber(one);
  expect(whoHears(task(TASK, true))).toEqual([ann, agent]);
  expect(whoHears(task(TASK, false))).toEqual([]);
  expect(whoHears(project(['task'], { created: true }))).toEqual([ann, bob]);
  expect(whoHears(project(['file'], { shaped: true }))).toEqual([ann, bob]);
  expect(whoHears(project(['task'], { shaped: true }))).toEqual([]);
  audience.removeSubscriber(ann);
  audience.removeSubscriber(agent);
  expect(whoHears(task(TASK, true))).toEqual([]);
  expect(whoHears(project(['meta']))).toEqual([bob]);
});

test('a change does not think of those whom it does not concern, however many they and their subscriptions are', () => {
  const audience = new SubscriptionIndex();
  const crowd = Array.from({ length: 1_000 }, (_, n) => new Someone(`principal-${n}`));
  for (const [n, one] of crowd.entries()) {
    audience.addSubscriber(one);
    for (let at = 0; at < 100; at++) audience.subscribe(one, ofProject(`tasks/${at}`, `project-${n}`));
  }
  for (const one of crowd) one.thoughtOf = 0;
  const thoughtOf = (change: DataChange) => {
    audience.notify(change);
    return crowd.flatMap((one, n) => (one.thoughtOf > 0 ? [n] : []));
  };
  expect(thoughtOf(task(TASK, false, 'principal-7'))).toEqual([]);
  expect(thoughtOf(task(TASK, true, 'principal-7'))).toEqual([7]);
  expect(thoughtOf(project(['task'], { name: 'project-9' }))).toEqual([7, 9]);
  expect(crowd[9]?.heard).toHaveLength(100);
  expect(thoughtOf(project(['task'], { name: 'a project that nobody named' }))).toEqual([7, 9]);
});
