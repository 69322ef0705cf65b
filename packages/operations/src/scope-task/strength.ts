/** Whether a task is widened or narrowed, and how far. */
export type ScopeDirection = 'up' | 'down';

export const STRENGTHS = ['light', 'regular', 'heavy'] as const;
export type Strength = (typeof STRENGTHS)[number];
