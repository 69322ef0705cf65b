import { z } from 'zod';

/** A tenant's lists: `ready` has tasks to run, `held` those that wait for a worker with their program. */
const list = z.enum(['ready', 'held']);

/** The data of a BullMQ job of the queue `resume`: it takes a batch of a tenant's list and runs it. */
const resumeJob = z.object({
  tenant: z.string().regex(/^[a-z0-9-]{1,63}$/),
  list,
  /** The number of the job, under which the store keeps its batch. */
  number: z.int().min(1),
  /** Task ids: until it starts, the task that requested the job, and from then on its batch. */
  tasks: z.array(z.uuid()).max(1_000),
});
export type ResumeJob = z.infer<typeof resumeJob>;

/** Parses a job's data. Throws an Error that names the invalid field. */
export function parseResumeJob(data: unknown): ResumeJob {
  return parseJob(resumeJob, data);
}

/** Parses the data of a job of any queue. Throws as parseResumeJob. */
export function parseJob<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `this is no job of this release: its data has ${issue?.path.join('.') || 'nothing that is known'}: ${issue?.message}`,
  );
}

/** Parses a script's request for a job, `"<number> <list>"`; undefined for '', which requests none. */
export function parseJobRequest(
  tenant: string,
  asked: string,
  tasks: readonly string[],
): ResumeJob | undefined {
  if (asked === '') return undefined;
  const [number, name] = asked.split(' ');
  return { tenant, list: list.parse(name), number: Number(number), tasks: [...tasks] };
}

/** A job's id in BullMQ: adding a job with the same number again adds nothing. */
export function jobId({ tenant, number }: Pick<ResumeJob, 'tenant' | 'number'>): string {
  return `${tenant}.${number}`;
}
