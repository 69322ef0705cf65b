import { expect, test } from 'vitest';
import { RequestedStatuses } from './requested-statuses.ts';

const isTaken = (request: string, statusQuote: string) =>
  new RequestedStatuses(request).select({ id: 1, status: 'done', statusQuote }, { id: 1, status: 'pending' })
    .update.status === 'done';

test.each<[string, string, boolean]>([
  ['Task 3 is DONE.', '"task 3 is done"', true],
  ['Task 3\n is done', '…task 3 is done!', true],
  ['Aufgabe 3 ist 𝐟𝐞𝐫𝐭𝐢𝐠 😀', '(fertig) 😀', true],
  ['Task 3 is open', 'is done', false],
  ['Task 3 is done', '...', false],
  ['Task 3 is done', '', false],
])('of the request %j the quote %j is taken: %j', (request, quote, taken) => {
  expect(isTaken(request, quote)).toBe(taken);
});

// A time that grows with the square of the length would be more than a test has.
test('compares a request and quotes of the greatest length that are marks nearly through', () => {
  // Each is four characters when its width is taken away.
  const marks = '\u2057'.repeat(49_000);
  expect(isTaken(`done ${marks} x`, 'done')).toBe(true);
  const quote = `x${'\u2057'.repeat(1_990)}x`;
  const statuses = new RequestedStatuses('nothing');
  const subtasks = Array.from({ length: 2_000 }, (_, index) => ({
    id: index + 1,
    status: 'done' as const,
    statusQuote: quote,
  }));
  expect(statuses.select({ id: 1, subtasks }, undefined).ignored).toHaveLength(2_000);
});
