/** What happens when a script is run twice with the same arguments, since the reply to the first run was lost. */
export interface ResentScript {
  /** How the second reply differs: `same`, `other <code>` for the same code with other facts, `<code>, then <code>`. */
  readonly says: readonly string[];
  /** What the second run changes: a kind of key, and its field, scores, members or lifetime. */
  readonly changes: readonly string[];
  /** Why neither does harm. */
  readonly harmless: string;
  /** Who runs segments goes on with the fence that he was told of. */
  readonly goesOnWith?: 'second';
}

const NOTHING: ResentScript = { says: ['same'], changes: [], harmless: 'Nothing differs.' };
/** The clock has gone on, and the call is counted twice. */
const COUNTED = {
  changes: ['rates lifetime', 'rates scores', 'tenant filled', 'tenant tokens'],
  harmless: 'The caller pays for two calls.',
};
const LATER = 'The time is that of the second run, some milliseconds later.';
const FENCED =
  'The first run moved the fence. A job whose segment is stale dequeues again and finds what is left of its batch.';

/** Every script by its name. A new one has no row, and fails the test until it has. */
export const RESENT_SCRIPTS: Readonly<Record<string, ResentScript>> = {
  'claim/claim': {
    says: ['same', 'other claimed'],
    changes: ['claims lifetime', 'claims scores', 'holder lifetime', 'holder scores'],
    harmless: LATER,
  },
  'claim/release_holder': {
    says: ['same'],
    changes: ['holder lifetime', 'holder scores'],
    harmless: LATER,
  },
  'conversation/begin_turn': NOTHING,
  'conversation/delete_conversation': {
    says: ['deleted, then conversation_not_found'],
    changes: [],
    harmless: 'It is deleted; its caller is told that there is none.',
  },
  'conversation/end_turn': {
    says: ['ended, then journaled', 'same'],
    changes: [],
    harmless: 'The place in the journal is taken; a task that was to be woken looks again by itself.',
  },
  'deadline/expire': {
    says: ['same', 'due, then early', 'ended, then gone'],
    changes: [],
    harmless:
      'The task is not due any more. A job that the first reply requested is found by the check of jobs.',
  },
  'deadline/list_due_tasks': { says: ['same'], changes: ['due scores'], harmless: LATER },
  'deadline/list_due_tenants': { says: ['same'], changes: ['swept value'], harmless: LATER },
  'definition/change_agent': {
    says: ['changed, then unchanged'],
    changes: [],
    harmless: 'The agent is as it was asked for.',
  },
  'definition/delete_definition': {
    says: [
      'deleted, then workflow_not_found',
      'deleted, then agent_not_found',
      'deleted, then prompt_not_found',
    ],
    changes: [],
    harmless: 'It is deleted; its caller is told that there is none.',
  },
  'definition/put_definition': {
    says: ['stored, then unchanged', 'same'],
    changes: [],
    harmless: 'There is one version of it, whose number is the reply.',
  },
  'definition/read_definition': NOTHING,
  'definition/read_definitions': NOTHING,
  'interaction/accept_answer': {
    says: ['same', 'accepted, then replayed'],
    changes: COUNTED.changes,
    harmless:
      'The answer counts once, and is confirmed. A job that the first reply requested is found by the check of jobs.',
  },
  'interaction/append_chunk': {
    says: ['kept, then replayed'],
    changes: COUNTED.changes,
    harmless: 'The chunk counts once, and is confirmed.',
  },
  'interaction/extend_interaction': {
    says: ['same', 'other extended'],
    changes: ['task open', 'task up'],
    harmless: LATER,
  },
  'interaction/fetch_or_claim_interactions': {
    says: ['other ok', 'same'],
    changes: [
      'claims lifetime',
      'claims members',
      'claims scores',
      'holder lifetime',
      'holder members',
      'holder scores',
      'task h3',
    ],
    harmless:
      'It claims others. What the first run claimed is hidden from other claims until its lease ends, and may be answered.',
  },
  'interaction/list_pending_or_register_waiter': NOTHING,
  'interaction/read_chunk_state': NOTHING,
  'interaction/read_stream': NOTHING,
  'interaction/read_interaction': NOTHING,
  'interaction/start_answer_time': {
    says: ['same'],
    changes: [],
    harmless: 'The first run set the earlier time.',
  },
  'project/commit': {
    says: ['same', 'committed, then journaled'],
    changes: [],
    harmless:
      'The attempt is known, or its place in the journal is; a segment goes on with the entry that it wrote itself.',
  },
  'project/delete_project': {
    says: ['deleted, then project_not_found', 'deleted, then replayed'],
    changes: [],
    harmless:
      'The project is gone. Its caller is told that there is none, or under its idempotency key that it is deleted.',
  },
  'project/note_project_use': NOTHING,
  'project/read_project': NOTHING,
  'project/stage_change': { says: ['same'], changes: ['staged lifetime'], harmless: LATER },
  'provider/answer_call': {
    says: ['same', 'accepted, then closed'],
    changes: [],
    harmless: 'The answer counts once. Jobs that the first reply requested are found by the check of jobs.',
  },
  'provider/append_call_chunk': {
    says: ['same', 'kept, then replayed'],
    changes: [],
    harmless: 'The chunk is there once.',
  },
  'provider/begin_call': {
    says: ['same', 'begun, then leased', 'other leased'],
    changes: [],
    harmless: 'The job is delayed until the lease that it did not learn of has ended.',
  },
  'provider/renew_call': {
    says: ['same', 'renewed, then lost'],
    changes: [],
    harmless: 'The worker gives the call up; it is made again when the lease has ended.',
  },
  'queue/begin_segments': {
    says: ['other reply'],
    changes: ['task fe', 'task tr'],
    harmless: 'The segment is that of the second fence; one try more is counted, of eight.',
    goesOnWith: 'second',
  },
  'queue/dequeue': {
    says: ['same', 'taken, then again'],
    changes: [],
    harmless: 'The job finds its batch, and runs it one by one.',
  },
  'queue/requeue_lost_jobs': { says: ['same'], changes: ['outstanding scores'], harmless: LATER },
  'queue/worker_heartbeat': {
    says: ['same', 'other reply'],
    changes: ['workers lifetime', 'workers scores'],
    harmless: LATER,
  },
  'retention/forget_tasks': {
    says: ['same', 'other reply'],
    changes: [],
    harmless: 'What the first run deleted is gone; the second finds the rest.',
  },
  'retention/strip_tasks': NOTHING,
  'role/put_role': {
    says: ['same', 'stored, then conflict'],
    changes: [],
    harmless: 'The caller reads what stands there, and stores the same again.',
  },
  'session/end_session': { says: ['same'], changes: ['ended lifetime', 'ended scores'], harmless: LATER },
  'session/refresh_subscriptions': {
    says: ['same'],
    changes: ['session lifetime', 'subscribers lifetime', 'subscribers scores'],
    harmless: LATER,
  },
  'session/set_log_level': {
    says: ['same'],
    changes: ['logLevels lifetime', 'logLevels scores'],
    harmless: LATER,
  },
  'session/subscribe': {
    says: ['same'],
    changes: ['session lifetime', 'subscribers lifetime', 'subscribers scores'],
    harmless: LATER,
  },
  'session/unsubscribe': NOTHING,
  'task/cancel': {
    says: ['same', 'cancelled, then interaction_cancelled', 'cancelled, then task_ended'],
    changes: [],
    harmless: 'It is cancelled once; the caller is told that it has ended, as cancelled.',
  },
  'task/end_sleep': {
    says: ['ended, then awake'],
    changes: [],
    harmless: 'A job that the first reply requested is found by the check of jobs.',
  },
  'task/hold_for_program': { says: ['held, then stale'], changes: [], harmless: FENCED },
  'task/open': {
    says: ['same', 'opened, then exists', 'other opened'],
    changes: COUNTED.changes,
    harmless:
      'There is one task. Where an idempotency key names it, its status is read. Jobs that the first reply requested are found by the check of jobs.',
  },
  'task/park': { says: ['again, then stale', 'parked, then stale'], changes: [], harmless: FENCED },
  'task/read_task_and_register_waiter': NOTHING,
  'task/scan_task_fields': NOTHING,
  'task/release_task': { says: ['released, then stale'], changes: [], harmless: FENCED },
  'task/retry': {
    says: ['retried, then replayed', 'same'],
    changes: [],
    harmless: 'It is retried once. A job that the first reply requested is found by the check of jobs.',
  },
  'task/rewind': NOTHING,
  'task/settle': { says: ['settled, then stale'], changes: [], harmless: FENCED },
  'tenant/admission_dry_run': NOTHING,
  'tenant/admit': { says: ['same'], ...COUNTED },
  'tenant/admit_answer': { says: ['same'], ...COUNTED },
  'tenant/create_key': NOTHING,
  'tenant/revoke_key': {
    says: ['same', 'ended, then key_not_found'],
    changes: [],
    harmless: 'The key has ended; its caller is told that there is none.',
  },
  'tenant/update_key': NOTHING,
  'tenant/upsert_tenant': {
    says: ['same', 'ok, then tenant_exists'],
    changes: [],
    harmless: 'The tenant is as it was asked for; the operator is told that it exists.',
  },
  'usage/put_prices': NOTHING,
  'workflow/complete_workflow': {
    says: ['completed, then task_ended'],
    changes: [],
    harmless: 'The task is completed; whoever runs its workflow takes that for its own.',
  },
  'workflow/read_progress': NOTHING,
  'workflow/record_progress': {
    says: ['recorded, then conflict', 'same'],
    changes: [],
    harmless:
      'Its caller reads again, and finds what it was to record: a call counts once by its name, a step by its outcome.',
  },
};
