import type { z } from 'zod';
import type { tenantSchema } from './operator/tenants.ts';
import type { interactionDetailSchema, interactionSummarySchema } from './routes/interaction-view.ts';
import type { keySchema } from './routes/key-view.ts';
import type { taskDetailSchema, taskSummarySchema } from './routes/task-view.ts';

/** What REST replies with, for programs in TypeScript of this repository. */
export type InteractionReply = z.infer<typeof interactionSummarySchema>;
export type InteractionDetailReply = z.infer<typeof interactionDetailSchema>;
export type TaskReply = z.infer<typeof taskSummarySchema>;
export type TaskDetailReply = z.infer<typeof taskDetailSchema>;
export type KeyReply = z.infer<typeof keySchema>;
export type TenantReply = z.infer<typeof tenantSchema>;
export type TimelineEntryReply = TaskDetailReply['timeline'][number];
