import { AnswerFailure, answerInteractions, answerWith, llmEndpoint } from '@baton/agent';
import { BatonError } from '@baton/protocol';
import { BadConfiguration } from '../environment.ts';
import { JsonLines } from './json-lines.ts';
import { LiveScreen } from './live-screen.ts';
import { type AgentFlags, type AgentSettings, readAgentSettings } from './settings.ts';

/**
 * `baton agent`: answers delegated requests by an LLM endpoint, until it is told to end; the first signal drains it, a
 * second one ends it at once. Gives the exit code. Throws BadConfiguration for what its user has to set right.
 */
export async function runAgent(flags: AgentFlags, environment: NodeJS.ProcessEnv): Promise<number> {
  const settings = await readAgentSettings(flags, environment);
  // Whoever runs this command did not write the requests that the warnings are about.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const llm = llmEndpoint({
    provider: settings.provider,
    endpoint: settings.endpoint,
    apiKey: settings.llmKey,
  });
  const { models } = settings;
  // Whoever read along may have gone; the work goes on.
  process.stdout.on('error', () => {});
  const shown = process.stdout.isTTY ? new LiveScreen(process.stdout) : new JsonLines(process.stdout);
  shown.begin(settings);
  const answering = answerInteractions({
    ...settings,
    answer: answerWith(({ role, request }) => llm(models[role] ?? models.other ?? request.modelId)),
    onEvent: (event) => shown.event(event),
  });
  let told = false;
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    process.on(signal, () => {
      if (told) process.exit(code);
      told = true;
      // How it ended is heard below.
      answering.stop(settings.drainMs).catch(() => {});
    });
  }
  try {
    const totals = await answering.done;
    shown.end(totals);
    return settings.once && totals.failed > 0 ? 1 : 0;
  } catch (error) {
    shown.end();
    throw asAdvice(error, settings);
  }
}

/** A credential that is refused is a setting, though only the other side can tell. */
function asAdvice(error: unknown, { url, provider }: AgentSettings): unknown {
  if (error instanceof AnswerFailure)
    return new BadConfiguration(
      `The LLM's key (BATON_LLM_API_KEY, or ${provider}'s own variable) is of no use. ${error.message}`,
    );
  const refused = ['unauthenticated', 'insufficient_scope', 'tenant_suspended'];
  if (error instanceof BatonError && refused.includes(error.code))
    return new BadConfiguration(
      `BATON_API_KEY=(hidden): Baton at ${url} refuses it (${error.code}): ${error.message}`,
    );
  return error;
}
