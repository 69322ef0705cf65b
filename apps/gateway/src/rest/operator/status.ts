import type { DeploymentStatus } from '@baton/store/operator';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isoTime } from '../../delegation/iso-time.ts';
import { emptyBodySchema, jsonResponse } from '../openapi/shared-schemas.ts';
import { failedJobSchema, statusSchema } from '../views/status-view.ts';

const access = { kind: 'operator' } as const;
const tags = ['operator'];

/** The state of the deployment, by the operator's token. */
export async function statusRoutes(
  app: FastifyInstance,
  { deployment }: { deployment: DeploymentStatus },
): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();

  rest.get(
    '/status',
    {
      config: { access },
      schema: {
        operationId: 'getStatus',
        tags,
        summary: 'Show which gateways and workers live, what the queues hold, and the memory of Redis',
        response: { 200: jsonResponse('The state now', statusSchema) },
      },
    },
    async () => deployment.read(),
  );

  rest.get(
    '/failed-jobs',
    {
      config: { access },
      schema: {
        operationId: 'listFailedJobs',
        tags,
        summary: 'List jobs of BullMQ that failed for good, the newest first: 50 of each queue',
        response: { 200: jsonResponse('The jobs', z.object({ jobs: z.array(failedJobSchema) })) },
      },
    },
    async () => ({
      jobs: (await deployment.failedJobs()).map(({ failedAt, tenant, ...job }) => ({
        ...job,
        ...(failedAt !== undefined && { failedAt: isoTime(failedAt) }),
        ...(tenant !== undefined && { tenant }),
      })),
    }),
  );

  rest.post(
    '/failed-jobs/:id/retry',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'retryFailedJob',
        tags,
        summary: 'Have BullMQ run a failed job again; a task that has ended is retried by itself',
        params: z.object({ id: z.string().min(1).max(200) }),
        body: emptyBodySchema,
        response: { 200: jsonResponse('It waits again', z.object({ id: z.string() })) },
      },
    },
    async ({ params, log }) => {
      await deployment.retryJob(params.id);
      log.info({ audit: 'job_retried', job: params.id, by: 'operator' }, 'a job was retried');
      return { id: params.id };
    },
  );
}
