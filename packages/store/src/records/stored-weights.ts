/**
 * What a record counts beside the bytes of its values, in bytes, so that a tenant's `stored` stays near what Redis needs for
 * it: names, entries of indexes, and the allocator's own. A test holds the two against each other.
 * Scripts name a weight `W_<name>` (see ../scripts/lua-source.ts).
 */
export const STORED_WEIGHTS = {
  /** A task: its key, its short fields, and its places in the tenant's sorted sets. */
  task: 1_024,
  /** The record of an idempotency key. */
  idempotency: 512,
  /** Fields of a task, each beside its value. */
  journal: 96,
  progress: 96,
  request: 256,
  summary: 64,
  answered: 64,
  ended: 64,
  chunk: 64,
  /** A chunk counts as so many bytes at least: an empty one takes a field too. */
  chunk_least: 64,
  /** A project, beside its name. */
  project: 512,
  /** A field of a project, beside its name and value. */
  project_field: 64,
  /** A conversation with its places in the indexes, and a message beside its text. */
  conversation: 768,
  message: 16,
  /** A stored version of a workflow, an agent or a prompt, beside its definition and who stored it. */
  definition_version: 128,
} as const;
