import type { JsonObject } from '@baton/protocol';
import type { PromptDefinition, PromptInput } from './prompt.ts';

/** A prompt of a version of it. */
export function toPromptDefinition({
  version,
  definition,
}: {
  readonly version: number;
  readonly definition: JsonObject;
}): PromptDefinition {
  return { ...(definition as unknown as PromptInput), version };
}
