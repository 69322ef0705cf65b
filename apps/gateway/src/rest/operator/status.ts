import type { DeploymentStatus } from '@baton/store/operator';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isoTime } from '../../delegation/iso-time.ts';
import { operatorRouter } from '../admission/router.ts';
import { failedJobSchema, statusSchema } from '../views/status-view.ts';

/** The state of the deployment, by the operator's token. */
export async function statusRoutes(
  app: FastifyInstance,
  { deployment }: { deployment: DeploymentStatus },
): Promise<void> {
  const route = operatorRouter(app, 'operator');

  route('GET /status', {
    id: 'getStatus',
    summary: 'Show which gateways and workers live, what the queues hold, and the memory of Redis',
    problems: [],
    reply: [200, 'The state now', statusSchema],
    run: () => deployment.read(),
  });

  route('GET /failed-jobs', {
    id: 'listFailedJobs',
    summary: 'List jobs of BullMQ that failed for good, the newest first: 50 of each queue',
    problems: [],
    reply: [200, 'The jobs', z.object({ jobs: z.array(failedJobSchema) })],
    run: async () => ({
      jobs: (await deployment.failedJobs()).map(({ failedAt, tenant, ...job }) => ({
        ...job,
        ...(failedAt !== undefined && { failedAt: isoTime(failedAt) }),
        ...(tenant !== undefined && { tenant }),
      })),
    }),
  });
}
