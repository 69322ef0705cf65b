import { anyCheckFailed, isShort, runCheck, printCounts } from './check-runner.ts';
import {
  checkGatewayKill,
  checkGracefulStop,
  checkAllGatewaysKill,
  checkRedisKill,
  checkWorkerKill,
} from './container-crashes.ts';
import { checkBackup } from './backup.ts';
import { checkConfinement, checkFrontAddress, checkRedisPassword } from './confinement.ts';
import { addTenant } from './add-tenant.ts';
import { checkFailedRollingUpdate, checkRollingUpdate } from './rolling-update.ts';
import { checkImage, checkMissingSecrets } from './image-and-secrets.ts';
import {
  checkAnswerOnOtherGateway,
  checkPublicAddress,
  checkReplicaHeader,
  checkThirdGateway,
  checkTrustedProxy,
} from './load-balancing.ts';
import { checkMonitoring } from './monitoring.ts';
import { ComposeStack } from './compose-stack.ts';
import { checkStoredProjects } from './stored-projects.ts';

/**
 * Checks docker-compose.yml with real containers: two gateways and two workers behind Caddy. `image-and-secrets`:
 * how they are built and configured; `load-balancing`: while all run; `container-crashes`: when one is killed;
 * `rolling-update`: when all are replaced under load.
 */
const seed = process.env['COMPOSE_SEED'] ?? String(Date.now() % 2 ** 31);
console.log(`# COMPOSE_SEED=${seed}`);
const WIDE = { requestsPerSecond: 10_000, burst: 10_000 };

let stack: ComposeStack | undefined;
let failedToRun: unknown;
let stopping: Promise<void> | undefined;
const tearDown = () => (stopping ??= stack?.down());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.resolve(tearDown()).finally(() => process.exit(130)));
}

try {
  stack = await ComposeStack.create();
  await run(stack);
} catch (error) {
  failedToRun = error;
}
if (failedToRun !== undefined) {
  await runCheck('docker-compose.yml runs on this machine', () => Promise.reject(failedToRun), true);
}
if (anyCheckFailed()) console.log(await stack?.logs().catch(String));
await runCheck(
  'containers, networks and volumes are removed',
  async () => (await tearDown(), 'containers, networks, volumes'),
  true,
);
const held = printCounts();
process.exit(held ? 0 : 1);

async function run(on: ComposeStack): Promise<void> {
  const begun = performance.now();
  await on.build();
  console.log(`# built in ${Math.round((performance.now() - begun) / 1_000)} s`);
  await on.up();
  const key = await addTenant(on, 'acme', WIDE);
  await runCheck('every response names its replica, refusals too', () => checkReplicaHeader(on));
  await runCheck('a call parked by one gateway is answered on the other', () =>
    checkAnswerOnOtherGateway(on, key),
  );
  await runCheck('Caddy finds a third gateway without a restart', () => checkThirdGateway(on, key));
  await runCheck('Prometheus takes its rules, and reads every replica', () => checkMonitoring(on));
  await runCheck('gateways are told the address that a trusted proxy says, and no other', checkTrustedProxy);
  await runCheck('replies name the address that clients reach', () => checkPublicAddress(on));
  await runCheck('a backup within a rewrite can be restored, and one that lacks a file is refused', () =>
    checkBackup(on),
  );
  await runCheck('on SIGTERM every role exits with 0', () => checkGracefulStop(on));
  if (!isShort) await runLongChecks(on, key);
  await runCheck('every stored project keeps its invariants', () => checkStoredProjects(on));
  console.log(`# ran for ${Math.round((performance.now() - begun) / 1_000)} s in all`);
}

/** Kills, a rolling update under load, and how the containers are confined. */
async function runLongChecks(on: ComposeStack, key: string): Promise<void> {
  await runCheck('the image is small, never runs as root, and has only runtime packages', () =>
    checkImage(on),
  );
  await runCheck('compose refuses to start without a secret, and names it', () => checkMissingSecrets(on));
  await runCheck('no container has capabilities, privileges or files that it does not need', () =>
    checkConfinement(on),
  );
  await runCheck('Redis wants its password, and shows it to nobody', () => checkRedisPassword(on));
  await runCheck('the front listens on this machine only', () => checkFrontAddress(on));
  await runCheck('a call parked by a gateway that was killed is answered on the other', () =>
    checkGatewayKill(on, key),
  );
  await runCheck('without a gateway Caddy answers unavailable, and nothing is lost', () =>
    checkAllGatewaysKill(on, key),
  );
  await runCheck('a resume whose worker is killed runs once on the other worker', () =>
    checkWorkerKill(on, key),
  );
  await runCheck('a parked call is answered after Redis was killed', () => checkRedisKill(on, key));
  await runCheck(
    'a rolling update that fails replaces nothing, and the next one replaces what is broken',
    () => checkFailedRollingUpdate(on),
  );
  await runCheck('a rolling restart under load loses, duplicates and refuses nothing', () =>
    addTenant(on, 'roll', WIDE).then((own) => checkRollingUpdate(on, own, seed)),
  );
}
