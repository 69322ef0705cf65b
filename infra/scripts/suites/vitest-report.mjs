import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { REPOSITORY_ROOT } from '../ensure-node-and-packages.mjs';

/**
 * Reads a report of vitest's JSON reporter: how many tests passed, and each file with its path, seconds and the names
 * of its tests that failed. A file that failed apart from its tests (it could not be loaded, or a hook failed) names itself.
 * A report that is missing or cut off has no files.
 */
export function readVitestReport(path) {
  let report = {};
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The run was killed before it wrote one: its exit code says so.
  }
  const files = (report.testResults ?? []).map(({ name, status, startTime, endTime, assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName }) => fullName);
    if (status === 'failed' && failed.length === 0) failed.push('(the file itself)');
    return {
      path: name,
      file: relative(REPOSITORY_ROOT, name),
      seconds: (endTime - startTime) / 1_000,
      failed,
    };
  });
  return { passed: report.numPassedTests ?? 0, files };
}
