import type { AgentEvent, Totals } from '@baton/agent';
import type { AgentSettings } from './agent-settings.ts';

/** By name, since a setting may be a secret. */
const SHOWN = [
  'url',
  'provider',
  'endpoint',
  'models',
  'allowModels',
  'maxTokens',
  'imageHosts',
  'role',
  'operation',
  'concurrency',
  'leaseMs',
  'timeoutMs',
] as const satisfies (keyof AgentSettings)[];

/** Shows an agent's work to whoever reads it from a pipe: one JSON object per line, without prompts or answers. */
export class JsonLinesOutput {
  private readonly out: { write(text: string): unknown };

  constructor(out: { write(text: string): unknown }) {
    this.out = out;
  }

  begin(settings: AgentSettings): void {
    this.write('started', Object.fromEntries(SHOWN.map((name) => [name, settings[name]])));
  }

  event(event: AgentEvent): void {
    const { kind, ...facts } = event;
    if (!('request' in facts)) {
      this.write(kind, facts);
      return;
    }
    const { request, ...more } = facts;
    const { interactionId, taskId, operation, principal, role, serviceType, attempt, summary } = request;
    const shown = { interactionId, taskId, operation, principal, role, serviceType, attempt, summary };
    this.write(kind, { ...shown, ...more });
  }

  end(totals?: Totals): void {
    this.write('ended', { ...totals });
  }

  private write(event: string, facts: object): void {
    this.out.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...facts })}\n`);
  }
}
