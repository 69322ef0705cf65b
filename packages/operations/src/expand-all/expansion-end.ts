import type { BatonError } from '@baton/protocol';
import type { SplitResult } from '../expand-task/split-task.ts';
import { listRemarks, type Remarks } from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';

/** How the splitting of one task ended. A finished branch is a short entry of the journal. */
export type ExpansionEnd =
  | (Remarks & {
      readonly id: number;
      readonly subtasksAdded: number;
      /** Left out where it is 0. */
      readonly subtasksReplaced?: number;
    })
  | { readonly id: number; readonly code: string; readonly message: string };

/** What is empty is left out. */
export function endedExpansion(id: number, split: SplitResult): ExpansionEnd {
  const { subtaskIds, replaced } = split;
  return {
    id,
    subtasksAdded: subtaskIds.length,
    ...(replaced > 0 ? { subtasksReplaced: replaced } : {}),
    ...listRemarks(split),
  };
}

export function failedExpansion(id: number, { code, message }: BatonError) {
  return { id, code, message: excerpt(message, 300) ?? '' };
}
