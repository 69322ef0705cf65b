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
  describeWithheldKey,
  namesOfKeySettings,
  readAgentSettings,
} from './agent-settings.ts';

/**
 * `baton agent`: answers delegated requests by an LLM endpoint until a stop signal; the first one drains it, a second
 * one ends it at once. Returns the exit code. Throws ConfigurationError for a setting that its user must correct.
 */
export async function runAgent(flags: AgentFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const settings = await readAgentSettings(flags, environment);
  for (const line of describeWithheldKey(settings)) console.error(`baton: ${line}`);
  // The warnings are about the requests, which the user of this command did not write.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const llm = createModelFactory({
    provider: settings.provider,
    endpoint: settings.endpoint,
    apiKey: settings.llmKey,
  });
  const { maxTokens, imageHosts, llmKey: secret } = settings;
  // A reader of the output that closed its pipe does not end the agent.
  process.stdout.on('error', () => {});
  const shown = process.stdout.isTTY
    ? new TerminalOutput(process.stdout)
    : new JsonLinesOutput(process.stdout);
  shown.begin(settings);
  const agent = answerInteractions({
    ...settings,
    answer: answerWith((request) => llm(chooseModelForRequest(request, settings)), {
      maxTokens,
      imageHosts,
      secret,
    }),
    onEvent: (event) => shown.event(event),
  });
  // How the agent ended is read from `done` below.
  onStopSignal(() => void agent.stop(settings.drainMs).catch(() => {}));
  try {
    const totals = await agent.done;
    shown.end(totals);
    return settings.once && totals.failed + totals.tasksFailed > 0 ? 1 : 0;
  } catch (error) {
    shown.end();
    throw explainEnd(error, settings);
  }
}

/** With `--once`: the LLM endpoint did not answer, so nothing was claimed: the process ends with 69 (EX_UNAVAILABLE). */
class EndpointUnavailableError extends Error {
  readonly exitCode = 69;
}

/** What only the other side can check of a setting, as a ConfigurationError that names it. */
function explainEnd(error: unknown, settings: AgentSettings): unknown {
  const { url, provider, endpoint } = settings;
  if (error instanceof LlmCallFailure) {
    if (error.kind !== 'fatal') return new EndpointUnavailableError(error.message);
    const key = namesOfKeySettings(settings);
    const address = `--endpoint=${endpoint ?? `(that of ${provider})`}`;
    return new ConfigurationError(
      `${SETTING_OF[error.type]?.({ key, address }) ?? address}: ${error.message}`,
    );
  }
  const refused = ['unauthenticated', 'insufficient_scope', 'tenant_suspended'];
  if (error instanceof BatonError && refused.includes(error.code))
    return new ConfigurationError(
      `BATON_API_KEY=(hidden): Baton at ${url} refuses it (${error.code}): ${error.message}`,
    );
  return error;
}

/** By what the endpoint refused: the setting that is wrong. */
const SETTING_OF: Readonly<
  Record<string, (named: { readonly key: string; readonly address: string }) => string>
> = {
  authentication_error: ({ key }) => `${key}: the LLM endpoint refuses this key`,
  permission_error: ({ key }) => `--model, or ${key}: the LLM endpoint does not allow this model to this key`,
  billing_error: ({ key }) => `${key}: the LLM endpoint asks to be paid`,
  not_found_error: ({ address }) => `--model, or ${address}: nothing is found there`,
};
