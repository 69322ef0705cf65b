import type { z } from 'zod';
import type { conversationDetailSchema, conversationSchema } from '../../conversations/conversation-view.ts';
import type { roleSchema } from './role-view.ts';
import type { usageReportSchema } from './usage-view.ts';
import type { failedJobSchema, statusSchema } from './status-view.ts';
import type { tenantSchema } from './tenant-view.ts';
import type { interactionDetailSchema, interactionSummarySchema } from './interaction-view.ts';
import type { keySchema, ownKeySchema } from './key-view.ts';
import type { importedProjectSchema, projectSummarySchema } from './project-view.ts';
import type {
  bulkRetriedSchema,
  retriedTaskSchema,
  taskDetailSchema,
  taskSummarySchema,
} from './task-view.ts';

/** What REST replies with, for programs in TypeScript of this repository. */
export type InteractionReply = z.infer<typeof interactionSummarySchema>;
export type InteractionDetailReply = z.infer<typeof interactionDetailSchema>;
export type TaskReply = z.infer<typeof taskSummarySchema>;
export type TaskDetailReply = z.infer<typeof taskDetailSchema>;
export type ConversationReply = z.infer<typeof conversationSchema>;
export type ConversationDetailReply = z.infer<typeof conversationDetailSchema>;
export type KeyReply = z.infer<typeof keySchema>;
export type ProjectReply = z.infer<typeof projectSummarySchema>;
export type ImportedProjectReply = z.infer<typeof importedProjectSchema>;
export type OwnKeyReply = z.infer<typeof ownKeySchema>;
export type RoleReply = z.infer<typeof roleSchema>;
export type RetriedTaskReply = z.infer<typeof retriedTaskSchema>;
export type BulkRetriedReply = z.infer<typeof bulkRetriedSchema>;
export type UsageReply = z.infer<typeof usageReportSchema>;
export type StatusReply = z.infer<typeof statusSchema>;
export type FailedJobReply = z.infer<typeof failedJobSchema>;
export type TenantReply = z.infer<typeof tenantSchema>;
export type TimelineEntryReply = TaskDetailReply['timeline'][number];
