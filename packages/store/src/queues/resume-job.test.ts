import { expect, test } from 'vitest';
import { jobId, parseResumeJob, parseJobRequest } from './resume-job.ts';

const good = {
  tenant: 'acme',
  list: 'ready',
  number: 7,
  tasks: ['9727ea48-c5e9-83d2-a1f3-afaac9e20000'],
};

test("a job's data are read as they were written", () => {
  expect(parseResumeJob(JSON.parse(JSON.stringify(good)))).toEqual(good);
});

test.each([
  [{}, 'tenant'],
  [null, 'nothing'],
  ['drain', 'nothing'],
  [{ ...good, tenant: 'acme:{s0}' }, 'tenant'],
  [{ ...good, list: 'drain' }, 'list'],
  [{ ...good, number: 0 }, 'number'],
  [{ ...good, number: '7' }, 'number'],
  [{ ...good, tasks: ['x'] }, 'tasks.0'],
])('data of another release, or broken, are refused by the field that is wrong: %j', (data, field) => {
  expect(() => parseResumeJob(data)).toThrow(new RegExp(`no job of this release: its data has ${field}`));
});

test('what a script asks for is a job with an id of its own, and nothing is no job', () => {
  expect(parseJobRequest('acme', '', [])).toBeUndefined();
  const job = parseJobRequest('acme', '12 held', [])!;
  expect(job).toEqual({ tenant: 'acme', list: 'held', number: 12, tasks: [] });
  expect(jobId(job), 'BullMQ takes no colon in an id, and no number').toBe('acme.12');
});
