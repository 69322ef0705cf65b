import { broken, claim, verdict } from './claim.ts';
import { gatewayKilled, leavesInOrder, noGateway, redisKilled, workerKilled } from './crashes.ts';
import { addTenant } from './operator.ts';
import { rollingRestart } from './rolling.ts';
import {
  answeredElsewhere,
  namesMissingSecrets,
  signedRefusals,
  smallImage,
  thirdGateway,
} from './sharing.ts';
import { Stack } from './stack.ts';

/**
 * docker-compose.yml for real: two gateways and two workers behind Caddy, claim by claim. `sharing`: what holds while
 * all live; `crashes`: what holds when one dies; `rolling`: when all are replaced under load.
 */
const seed = process.env['COMPOSE_SEED'] ?? String(Date.now() % 2 ** 31);
console.log(`# COMPOSE_SEED=${seed}`);

let stack: Stack | undefined;
let failedToRun: unknown;
let stopping: Promise<void> | undefined;
const tearDown = () => (stopping ??= stack?.down());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.resolve(tearDown()).finally(() => process.exit(130)));
}

try {
  stack = await Stack.find();
  await run(stack);
} catch (error) {
  failedToRun = error;
}
if (failedToRun !== undefined) {
  await claim('docker-compose.yml runs on this machine', () => Promise.reject(failedToRun), true);
}
if (broken()) console.log(await stack?.logs().catch(String));
await claim(
  'everything is taken down again',
  async () => (await tearDown(), 'containers, networks, volumes'),
  true,
);
const held = verdict();
process.exit(held ? 0 : 1);

async function run(on: Stack): Promise<void> {
  const begun = performance.now();
  await on.build();
  console.log(`# built in ${Math.round((performance.now() - begun) / 1_000)} s`);
  await on.up();
  const wide = { requestsPerSecond: 10_000, burst: 10_000 };
  const key = await addTenant(on, 'acme', wide);
  await claim('the image is small, runs as nobody special, and holds what runs', () => smallImage(on));
  await claim('compose names a secret that is missing', () => namesMissingSecrets(on));
  await claim('every response says which replica gave it, refusals too', () => signedRefusals(on));
  await claim('a call parked by one gateway is answered on the other', () => answeredElsewhere(on, key));
  await claim('a call parked by a gateway that was killed is answered on the other', () =>
    gatewayKilled(on, key),
  );
  await claim('without a gateway the front says so, and nothing is lost', () => noGateway(on, key));
  await claim('a resume whose worker is killed in its middle is run by the other, once', () =>
    workerKilled(on, key),
  );
  await claim('a call is answered though Redis was killed in between', () => redisKilled(on, key));
  await claim('on SIGTERM every role ends by itself with code 0', () => leavesInOrder(on));
  await claim('a third gateway is found without anyone being told', () => thirdGateway(on, key));
  await claim('everything is replaced under load: nothing lost, nothing twice, no answer refused', () =>
    addTenant(on, 'roll', wide).then((own) => rollingRestart(on, own, seed)),
  );
  console.log(`# ran for ${Math.round((performance.now() - begun) / 1_000)} s in all`);
}
