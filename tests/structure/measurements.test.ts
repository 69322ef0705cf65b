import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { listSourceFiles } from './import-graph.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What a slow or busy machine changes: a difference of two times, the load of the processor, and the size of the heap. */
const MEASUREMENT = new RegExp(
  [
    String.raw`(?:performance|Date)\.now\(\) - [a-z]`,
    String.raw`- (?:performance|Date)\.now\(\)\)?\.to`,
    String.raw`\b(?:memoryUsage|heapUsed|cpuUsage|eventLoopUtilization|monitorEventLoopDelay|hrtime)\b`,
  ].join('|'),
);

const measuringLines = (text: string) => text.split('\n').filter((line) => MEASUREMENT.test(line));

test('no test of `npm test` measures time, load or memory: those are soak tests', () => {
  const tests = listSourceFiles(ROOT, ['apps', 'packages', 'tests']).filter(
    (file) => file.endsWith('.test.ts') && basename(file) !== basename(import.meta.filename),
  );
  expect(tests.length).toBeGreaterThan(300);
  const found = tests.flatMap((file) =>
    measuringLines(readFileSync(join(ROOT, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'expect(performance.now() - begun).toBeLessThan(500);',
  'const took = Date.now() - started;',
  'const { user } = process.cpuUsage();',
  'expect(process.memoryUsage().rss).toBeLessThan(1);',
])('%s measures', (line) => {
  expect(measuringLines(line)).toEqual([line]);
});
