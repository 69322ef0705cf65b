import { z } from 'zod';
import { parseJob } from './resume-job.ts';

/** The data of a BullMQ job of the queue `calls`: one call to an LLM endpoint, `<ref>.<number>`, of an open interaction. */
const callJob = z.object({
  tenant: z.string().regex(/^[a-z0-9-]{1,63}$/),
  call: z.string().regex(/^[\w-]{19}\.\d{1,5}$/),
});
export type CallJob = z.infer<typeof callJob>;

/** Parses a job's data. Throws an Error that names the invalid field. */
export function parseCallJob(data: unknown): CallJob {
  return parseJob(callJob, data);
}

/** A job's id in BullMQ: adding the job of the same call again adds nothing. */
export function callJobId({ tenant, call }: CallJob): string {
  return `${tenant}.${call}`;
}
