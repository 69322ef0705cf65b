import { anyFailed, checkClaim, printCounts } from './claim.ts';
import { killGateway, stopGracefully, killAllGateways, killRedis, killWorker } from './container-crashes.ts';
import { checkConfinement, checkFrontAddress, checkRedisPassword } from './confinement.ts';
import { addTenant } from './operator-rest.ts';
import { rollingRestart } from './rolling-restart.ts';
import {
  answerOnOtherGateway,
  checkMissingSecrets,
  checkReplicaHeader,
  checkImage,
  addThirdGateway,
} from './load-balancing.ts';
import { ComposeStack } from './compose-stack.ts';

/**
 * Checks docker-compose.yml with real containers: two gateways and two workers behind Caddy. `load-balancing`: while all
 * run; `container-crashes`: when one is killed; `rolling-restart`: when all are replaced under load.
 */
const seed = process.env['COMPOSE_SEED'] ?? String(Date.now() % 2 ** 31);
console.log(`# COMPOSE_SEED=${seed}`);

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
  await checkClaim('docker-compose.yml runs on this machine', () => Promise.reject(failedToRun), true);
}
if (anyFailed()) console.log(await stack?.logs().catch(String));
await checkClaim(
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
  const wide = { requestsPerSecond: 10_000, burst: 10_000 };
  const key = await addTenant(on, 'acme', wide);
  await checkClaim('the image is small, never runs as root, and has only runtime packages', () =>
    checkImage(on),
  );
  await checkClaim('compose refuses to start without a secret, and names it', () => checkMissingSecrets(on));
  await checkClaim('no container has capabilities, privileges or files that it does not need', () =>
    checkConfinement(on),
  );
  await checkClaim('Redis wants its password, and shows it to nobody', () => checkRedisPassword(on));
  await checkClaim('the front listens on this machine only', () => checkFrontAddress(on));
  await checkClaim('every response names its replica, refusals too', () => checkReplicaHeader(on));
  await checkClaim('a call parked by one gateway is answered on the other', () =>
    answerOnOtherGateway(on, key),
  );
  await checkClaim('a call parked by a gateway that was killed is answered on the other', () =>
    killGateway(on, key),
  );
  await checkClaim('without a gateway Caddy answers unavailable, and nothing is lost', () =>
    killAllGateways(on, key),
  );
  await checkClaim('a resume whose worker is killed runs once on the other worker', () =>
    killWorker(on, key),
  );
  await checkClaim('a parked call is answered after Redis was killed', () => killRedis(on, key));
  await checkClaim('on SIGTERM every role exits with 0', () => stopGracefully(on));
  await checkClaim('Caddy finds a third gateway without a restart', () => addThirdGateway(on, key));
  await checkClaim('a rolling restart under load loses, duplicates and refuses nothing', () =>
    addTenant(on, 'roll', wide).then((own) => rollingRestart(on, own, seed)),
  );
  console.log(`# ran for ${Math.round((performance.now() - begun) / 1_000)} s in all`);
}
