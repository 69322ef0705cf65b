import { anyFailed, checkClaim, printCounts } from './claim.ts';
import { killGateway, stopGracefully, killAllGateways, killRedis, killWorker } from './container-crashes.ts';
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
 * docker-compose.yml for real: two gateways and two workers behind Caddy, claim by claim. `sharing`: what holds while
 * all live; `crashes`: what holds when one dies; `rolling`: when all are replaced under load.
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
  'everything is taken down again',
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
  await checkClaim('the image is small, runs as nobody special, and holds what runs', () => checkImage(on));
  await checkClaim('compose names a secret that is missing', () => checkMissingSecrets(on));
  await checkClaim('every response says which replica gave it, refusals too', () => checkReplicaHeader(on));
  await checkClaim('a call parked by one gateway is answered on the other', () =>
    answerOnOtherGateway(on, key),
  );
  await checkClaim('a call parked by a gateway that was killed is answered on the other', () =>
    killGateway(on, key),
  );
  await checkClaim('without a gateway the front says so, and nothing is lost', () =>
    killAllGateways(on, key),
  );
  await checkClaim('a resume whose worker is killed in its middle is run by the other, once', () =>
    killWorker(on, key),
  );
  await checkClaim('a call is answered though Redis was killed in between', () => killRedis(on, key));
  await checkClaim('on SIGTERM every role ends by itself with code 0', () => stopGracefully(on));
  await checkClaim('a third gateway is found without anyone being told', () => addThirdGateway(on, key));
  await checkClaim('everything is replaced under load: nothing lost, nothing twice, no answer refused', () =>
    addTenant(on, 'roll', wide).then((own) => rollingRestart(on, own, seed)),
  );
  console.log(`# ran for ${Math.round((performance.now() - begun) / 1_000)} s in all`);
}
