import { DEFAULT_MODELS, type ModelRole } from '@baton/protocol';

/** The model that a request names. The agent may use another: it makes the call with its own key. */
export interface LlmModel {
  readonly modelId: string;
  readonly maxTokens: number;
  readonly temperature: number;
}

export const LLM_MODELS: Readonly<Record<ModelRole, LlmModel>> = {
  main: { modelId: DEFAULT_MODELS.main, maxTokens: 64_000, temperature: 0.2 },
  research: { modelId: DEFAULT_MODELS.research, maxTokens: 8_700, temperature: 0.1 },
  fallback: { modelId: DEFAULT_MODELS.fallback, maxTokens: 64_000, temperature: 0.2 },
};

export function modelRoleFor(research: boolean): ModelRole {
  return research ? 'research' : 'main';
}
