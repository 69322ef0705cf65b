import { print } from '../output/print.ts';
import { EXIT_CODES, exitCodeFor } from '../process/exit-codes.ts';
import { readSettings } from '../settings/environment.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { describeUnknownVariables } from '../settings/unknown-variables.ts';
import { checkAgentEndpoint } from './agent-checks.ts';
import { type Finding, note, ok, wrong } from './finding.ts';
import { checkGateway } from './gateway-checks.ts';
import { checkRedis } from './redis-checks.ts';

/**
 * `baton doctor`: what is wrong with this set-up, in words. It changes nothing; where an LLM endpoint is set, that is asked one short question. Returns
 * the exit code of the first thing that is wrong, or 0.
 */
export async function runDoctor(flags: RestFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const found = [
    ...(await checkSettings(flags, environment)),
    ...(await checkGateway(flags, environment)),
    await checkAgentEndpoint(flags, environment),
  ];
  const bad = found.filter(({ state }) => state === 'wrong');
  const rows = found.map(({ check, state, text }) => [state, check, text]);
  const end =
    bad.length === 0 ? 'Nothing is wrong.' : `${bad.length} of ${found.length} checks found something wrong.`;
  print({ value: found, table: [['', 'check', 'found'], ...rows], notes: [end] }, flags);
  return bad[0]?.exitCode ?? EXIT_CODES.ok;
}

/** The settings of gateway and worker, as far as they are set here, and Redis where they name one. */
async function checkSettings({ url }: RestFlags, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const unknown = describeUnknownVariables(environment).map((line) => note('settings', line));
  try {
    const settings = readSettings(environment);
    return [
      ...unknown,
      ok('settings', 'Each setting that is set can be read.'),
      ...(await checkRedis(settings, url ?? environment['BATON_URL'])),
    ];
  } catch (error) {
    return [...unknown, wrong('settings', (error as Error).message, exitCodeFor(error))];
  }
}
