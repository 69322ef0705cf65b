import { z } from 'zod';

/** The data of a BullMQ job of the queue `calls`: one call to an LLM endpoint, `<ref>.<number>`, of an open interaction. */
const callJob = z.object({
  tenant: z.string().regex(/^[a-z0-9-]{1,63}$/),
  call: z.string().regex(/^[\w-]{19}\.\d{1,5}$/),
});
export type CallJob = z.infer<typeof callJob>;

/** Parses a job's data. Throws an Error that names the invalid field. */
export function parseCallJob(data: unknown): CallJob {
  const parsed = callJob.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `this is no job of this release: its data has ${issue?.path.join('.') || 'nothing that is known'}: ${issue?.message}`,
  );
}

/** A job's id in BullMQ: adding the job of the same call again adds nothing. */
export function callJobId({ tenant, call }: CallJob): string {
  return `${tenant}.${call}`;
}
