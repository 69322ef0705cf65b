import { EXIT_CODES, exitCodeFor } from '../process/exit-codes.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

const TIMEOUT_MS = 60_000;
/** Each names an LLM endpoint. */
const NAMES_ENDPOINT = [
  'BATON_LLM_ENDPOINT',
  'BATON_LLM_PROVIDER',
  'BATON_LLM_API_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
];

/** The LLM endpoint that `baton agent` would take from this environment: asked the neutral question that the agent asks before it claims. */
export async function checkAgentEndpoint(
  { url, key }: RestFlags,
  environment: NodeJS.ProcessEnv,
): Promise<Finding> {
  const named = NAMES_ENDPOINT.some((name) => environment[name] || environment[`${name}_FILE`]);
  if (!named)
    return note(
      'agent',
      'No LLM endpoint is set here: requests wait for an MCP client, or for a baton agent elsewhere.',
    );
  try {
    const { chooseModelForRequest, describeWithheldKey, readAgentSettings } = await import(
      '../agent/agent-settings.ts'
    );
    const { answerWith, createModelFactory } = await import('@baton/agent');
    const flags = { ...(url === undefined ? {} : { url }), ...(key === undefined ? {} : { key }) };
    const settings = await readAgentSettings(flags, environment);
    const { provider, endpoint, llmKey } = settings;
    const model = createModelFactory({ provider, endpoint, apiKey: llmKey });
    const answer = answerWith((request) => model(chooseModelForRequest(request, settings)), {
      secret: llmKey,
    });
    const failure = await answer.probe?.(AbortSignal.timeout(TIMEOUT_MS));
    const place = `The LLM endpoint of baton agent (${provider}${endpoint === undefined ? '' : ` at ${endpoint}`})`;
    const more = describeWithheldKey(settings).map((line) => ` ${line}`);
    if (failure === undefined) return ok('agent', [`${place} answers.`, ...more].join(''));
    const code = failure.kind === 'fatal' ? EXIT_CODES.configuration : EXIT_CODES.unavailable;
    return wrong('agent', [`${place} does not answer: ${failure.message}`, ...more].join(''), code);
  } catch (error) {
    return wrong('agent', (error as Error).message, exitCodeFor(error));
  }
}
