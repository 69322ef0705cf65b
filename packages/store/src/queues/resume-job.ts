import { z } from 'zod';

/** A tenant's lists: what has something to do, and what waits for a worker that has its program. */
const list = z.enum(['ready', 'held']);

/** The data of a BullMQ job of the queue `resume`: it takes a batch of a tenant's list and runs it. */
const resumeJob = z.object({
  tenant: z.string().regex(/^[a-z0-9-]{1,63}$/),
  list,
  /** The number under which the store keeps what the job took. */
  number: z.int().min(1),
  /** What it is known to be about, as task ids: before it begins the task that asked for it, from then on its batch. */
  tasks: z.array(z.uuid()).max(1_000),
});
export type ResumeJob = z.infer<typeof resumeJob>;

/** Reads a job's data. Throws an Error that names the field when it is not of this release, or broken. */
export function parseResumeJob(data: unknown): ResumeJob {
  const parsed = resumeJob.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `this is no job of this release: its data has ${issue?.path.join('.') || 'nothing that is known'}: ${issue?.message}`,
  );
}

/** What a script asks for, `"<number> <list>"`, as a job of a tenant; undefined where it asks for none. */
export function parseJobRequest(
  tenant: string,
  asked: string,
  tasks: readonly string[],
): ResumeJob | undefined {
  if (asked === '') return undefined;
  const [number, name] = asked.split(' ');
  return { tenant, list: list.parse(name), number: Number(number), tasks: [...tasks] };
}

/** A job's id in BullMQ: two jobs of one number are one, so that adding a job again adds nothing. */
export function jobId({ tenant, number }: Pick<ResumeJob, 'tenant' | 'number'>): string {
  return `${tenant}.${number}`;
}
