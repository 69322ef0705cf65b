/** What many scripts have in common: how they are sent, and keys and arguments that stand together. */

export const REPLICATED = { replicated: true };
export const NEW_WORK = { incoming: 'new' } as const;
export const ANSWER = { incoming: 'answer' } as const;
/** Many are called at once, and each is short. */
export const BATCHED = { batched: true };

/** The keys of a script that puts a task into its tenant's lists, or takes one out. */
export const QUEUE_KEYS = ['ready', 'held', 'jobs', 'tenantsWithJobs', 'workers'] as const;

/** What a script that ends a task is given last: the record of the workflow that the task is a step of, or the task's own. */
export const ENDING_KEYS = ['calls', 'activeChangeChannel', 'parent'] as const;

export const CALLER_ARGS = ['digest', 'principal', 'scopes', 'need', 'bytes', 'weight', 'floor'] as const;

/** With these a script checks again a caller that was admitted before (`include/admission_recheck.lua`), and behind them what it does. */
export const RECHECK_ARGS = ['digest', 'principal', 'scopes', 'need'] as const;

/** The keys of a script that admits its caller. */
export const ADMISSION_KEYS = ['credential', 'tenant', 'rates'] as const;
