import type { BatonError } from '@baton/protocol';
import type { IgnoredStatus } from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';

/** How the splitting of one task ended. A finished branch is a short entry of the journal. */
export type ExpansionEnd =
  | {
      readonly id: number;
      readonly subtasksAdded: number;
      readonly statusesIgnored?: readonly IgnoredStatus[];
    }
  | { readonly id: number; readonly code: string; readonly message: string };

export function failedExpansion(id: number, { code, message }: BatonError) {
  return { id, code, message: excerpt(message, 300) ?? '' };
}
