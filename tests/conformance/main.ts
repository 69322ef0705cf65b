import { ConformanceDeployment } from './conformance-deployment.ts';
import { RUNS, runSuite } from './conformance-suite.ts';

/** `npm run conformance`: prints what the suite says of each run; exit code 1 where a check fails. */
const deployment = await ConformanceDeployment.start();
const only = process.argv.slice(2);
const failed: string[] = [];
for (const run of only.length > 0 ? [only] : RUNS) {
  const { holds, output } = await runSuite(deployment.url, run);
  console.log(`\n# ${run.join(' ')}\n${output}`);
  if (!holds) failed.push(run.join(' '));
}
await deployment.stop();
console.log(
  failed.length === 0 ? 'conformance: all of it holds' : `conformance: failed: ${failed.join('; ')}`,
);
process.exit(failed.length === 0 ? 0 : 1);
