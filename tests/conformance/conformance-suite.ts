import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNode22OrNewer } from '../processes/node-22.ts';

/** What of the official suite is run: all that each revision requires of a server, and each scenario of the extension for tasks. */
export const RUNS: readonly (readonly string[])[] = [
  ['--requirements', '2025-11-25'],
  ['--requirements', '2026-07-28'],
  ...[
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ].map((scenario) => ['--scenario', scenario]),
];

const MOST_MS = 300_000;

const require = createRequire(import.meta.url);

/** Runs a part of the suite against a server; gives what it prints, and whether each check held. */
export async function runSuite(
  url: string,
  part: readonly string[],
): Promise<{ readonly holds: boolean; readonly output: string }> {
  // The package exports nothing: its command stands beside its own description.
  const suite = join(require.resolve('@modelcontextprotocol/conformance/package.json'), '../dist/index.js');
  const folder = mkdtempSync(join(tmpdir(), 'baton-conformance-'));
  const child = spawn(await findNode22OrNewer(), [suite, 'server', '--url', url, ...part], {
    cwd: folder,
    timeout: MOST_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  const [code] = (await once(child, 'close')) as [number | null];
  rmSync(folder, { recursive: true });
  return { holds: code === 0, output };
}
