import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { tableText } from './table-text.ts';

const rows = [
  ['id', 'status', 'title'],
  [1, 'pending', 'A catalogue of three kinds of tea, with their prices and what is in stock of each'],
  [2, 'done', '茶の籠 ☕'],
];

test('columns are as wide as their widest cell, and whole where the output is no terminal', () => {
  expect(tableText(rows, undefined)).toBe(
    [
      'id  status   title',
      '1   pending  A catalogue of three kinds of tea, with their prices and what is in stock of each',
      '2   done     茶の籠 ☕',
    ].join('\n'),
  );
});

test.each([20, 24, 30, 40, 80])(
  'no line is wider than a terminal of %i columns, and no word is lost',
  (columns) => {
    const text = tableText(rows, columns);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    for (const word of String(rows[1]?.[2]).split(' ')) expect(text.replaceAll(/\s+/g, '')).toContain(word);
  },
);

test('where a table has no room, each row is a record', () => {
  expect(tableText(rows, 20).split('\n\n')[1]).toBe('id: 2\nstatus: done\ntitle: 茶の籠 ☕');
});

test('a cell never holds what a terminal obeys', () => {
  expect(tableText([['a'], ['x\u001b[2J\r\ny\u009b31m\u202ez']], 80)).toBe('a\nx [2J y 31m z');
});
