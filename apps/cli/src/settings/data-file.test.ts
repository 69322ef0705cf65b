import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDataFile, readTextFile } from './data-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-data-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(name: string, text: string | Buffer): unknown {
  const file = join(folder, name);
  writeFileSync(file, text);
  return readDataFile(file);
}

test.each([
  ['a.json', '{"a":1.50,"b":-0.1e3,"c":[1,9007199254740991]}'],
  ['a.json', '\uFEFF{"a":1.50,"b":-0.1e3,"c":[1,9007199254740991]}'],
  ['a.txt', ' {"a":1.50,"b":-0.1e3,"c":[1,9007199254740991]}'],
  ['a.yaml', 'a: 1.50\nb: -0.1e3\nc: [1, 9007199254740991]'],
  ['a.txt', '{a: 1.50, b: -0.1e3, c: [1, 9007199254740991]}'],
])('%s is read as it is: %j', (name, text) => {
  expect(read(name, text)).toEqual({ a: 1.5, b: -100, c: [1, 9_007_199_254_740_991] });
});

test.each([
  ['a.json', '{"ext":{"n":12345678901234567890}}', "holds the number 12345678901234567890 at 'ext.n'"],
  ['a.txt', '{"ext":{"n":12345678901234567890}}', "holds the number 12345678901234567890 at 'ext.n'"],
  ['a.yaml', 'ext: { n: 12345678901234567890 }', "holds the number 12345678901234567890 at 'ext.n'"],
  ['a.json', '{"ext":[1e400]}', "holds the number 1e400 at 'ext.0'"],
  ['a.yaml', 'ext: [1e400]', "holds the number Infinity at 'ext.0'"],
  ['a.yaml', 'ext: .nan', "holds the number NaN at 'ext'"],
])('%s with a number that would be changed is refused with its place: %s', (name, text, message) => {
  expect(() => read(name, text)).toThrow(message);
});

test.each([
  ['a.json', '{"a":1'],
  ['a.txt', '{"a":1'],
  ['a.json', 'a: 1'],
])('%s that is no JSON says so, never in words of YAML: %s', (name, text) => {
  expect(() => read(name, text)).toThrow(new RegExp(`${name}: is not JSON that Baton takes: .*JSON`));
});

const TEXT = '{"title":"café"}';
test.each([
  ['latin-1', Buffer.from(TEXT, 'latin1')],
  ['UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ['UTF-8 that is cut within a character', Buffer.from('café').subarray(0, -1)],
])('a file in %s is refused by name, and never read as other characters', (_encoding, bytes) => {
  const message = /odd\.(json|txt): is not UTF-8\. Save it as UTF-8, or convert it: iconv /;
  expect(() => read('odd.json', bytes)).toThrow(message);
  expect(() => read('odd.txt', bytes)).toThrow(message);
  expect(() => readTextFile(join(folder, 'odd.txt'))).toThrow(message);
});
