import { expect, test } from 'vitest';
import { findPath } from './find-path.ts';

const groups = (text: Record<string, string>) =>
  new Map(Object.entries(text).map(([id, members]) => [id, members.split('')]));

test.each([
  [{ a: 'a' }, ['a', 'a']],
  [{ a: 'b', b: 'c', c: 'a' }, ['a', 'b', 'c', 'a']],
  [{ a: 'bc', b: 'd', c: 'd', d: '' }, undefined],
  [{ a: 'b', b: 'c', c: 'b' }, undefined],
  [{ a: 'xb', b: 'ya' }, ['a', 'b', 'a']],
])('%j', (text, cycle) => {
  expect(findPath(groups(text as Record<string, string>), 'a', 'a')).toEqual(cycle);
});
