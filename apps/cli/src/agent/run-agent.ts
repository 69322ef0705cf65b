import { LlmCallFailure, answerInteractions, answerWith, createModelFactory } from '@baton/agent';
import { BatonError } from '@baton/protocol';
import { onStopSignal } from '../process/stop-signals.ts';
import { ConfigurationError } from '../settings/environment.ts';
import { JsonLinesOutput } from './json-lines-output.ts';
import { TerminalOutput } from './terminal-output.ts';
import {
  type AgentFlags,
  type AgentSettings,
  chooseModelForRequest,
  readAgentSettings,
} from './agent-settings.ts';

/**
 * `baton agent`: answers delegated requests by an LLM endpoint until a stop signal; the first one drains it, a second
 * one ends it at once. Returns the exit code. Throws ConfigurationError for a setting that its user must correct.
 */
export async function runAgent(flags: AgentFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const settings = await readAgentSettings(flags, environment);
  // The warnings are about the requests, which the user of this command did not write.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const llm = createModelFactory({
    provider: settings.provider,
    endpoint: settings.endpoint,
    apiKey: settings.llmKey,
  });
  const { maxTokens, imageHosts } = settings;
  // A reader of the output that closed its pipe does not end the agent.
  process.stdout.on('error', () => {});
  const shown = process.stdout.isTTY
    ? new TerminalOutput(process.stdout)
    : new JsonLinesOutput(process.stdout);
  shown.begin(settings);
  const agent = answerInteractions({
    ...settings,
    answer: answerWith((request) => llm(chooseModelForRequest(request, settings)), { maxTokens, imageHosts }),
    onEvent: (event) => shown.event(event),
  });
  // How the agent ended is read from `done` below.
  onStopSignal(() => void agent.stop(settings.drainMs).catch(() => {}));
  try {
    const totals = await agent.done;
    shown.end(totals);
    return settings.once && totals.failed > 0 ? 1 : 0;
  } catch (error) {
    shown.end();
    throw explainRefusedKey(error, settings);
  }
}

/** A refused credential as a ConfigurationError: it is a setting that only the other side can check. */
function explainRefusedKey(error: unknown, { url, provider }: AgentSettings): unknown {
  if (error instanceof LlmCallFailure)
    return new ConfigurationError(
      `The LLM's key (BATON_LLM_API_KEY, or ${provider}'s own variable) was refused, or every model of --model was. ${error.message}`,
    );
  const refused = ['unauthenticated', 'insufficient_scope', 'tenant_suspended'];
  if (error instanceof BatonError && refused.includes(error.code))
    return new ConfigurationError(
      `BATON_API_KEY=(hidden): Baton at ${url} refuses it (${error.code}): ${error.message}`,
    );
  return error;
}
