import type { Role } from '@baton/protocol';

/** The model that a request names. The agent may use another: it makes the call with its own key. */
export interface LlmModel {
  readonly modelId: string;
  readonly maxTokens: number;
  readonly temperature: number;
}

export const LLM_MODELS: Readonly<Record<Role, LlmModel>> = {
  main: { modelId: 'claude-sonnet-4-20250514', maxTokens: 64_000, temperature: 0.2 },
  research: { modelId: 'sonar-pro', maxTokens: 8_700, temperature: 0.1 },
  fallback: { modelId: 'claude-3-7-sonnet-20250219', maxTokens: 64_000, temperature: 0.2 },
};
