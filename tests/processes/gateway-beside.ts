import { type InProcessDeployment, OPERATOR_TOKEN, SECRET } from '../harness/in-process-deployment.ts';
import { BatonProcess, GATEWAY_READY_LINE } from './baton-process.ts';

/** A gateway in a process of its own beside those of a deployment, which a test may kill. It begins to leave at once when it is told to. */
export function startGatewayBeside({ redisUrl }: InProcessDeployment): Promise<BatonProcess> {
  const environment = {
    REDIS_URL: redisUrl,
    BATON_SECRET: SECRET,
    BATON_OPERATOR_TOKEN: OPERATOR_TOKEN,
    BATON_TEST_OPERATIONS: 'true',
    BATON_UNREADY_MS: '0',
    HOST: '127.0.0.1',
    PORT: '0',
  };
  return BatonProcess.start('gateway', environment, GATEWAY_READY_LINE);
}
