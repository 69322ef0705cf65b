import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { runBaton } from '../cli/run-baton.ts';
import { AgentProcess } from './agent-process.ts';

/** Where `baton agent` and `baton doctor` send the LLM's key and prompts, as the built command. */
const folder = createTemporaryFolder('llm-key');
let llm: FakeLlmServer;
let redirecting: Server;
let redirectingUrl: string;
beforeAll(async () => {
  llm = await FakeLlmServer.start();
  redirecting = createServer(({ url = '' }, response) => {
    const location = llm.url.replace(/\/v1$/, url);
    response.writeHead(307, { location }).end();
  }).listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  redirectingUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`;
});
afterEach(() => {
  llm.probes = 0;
});
afterAll(async () => {
  redirecting.close();
  await llm.close();
});

const baton = { BATON_URL: 'http://127.0.0.1:1/mcp', BATON_API_KEY: 'k', BATON_LLM_MODEL: 'm' };

test.each(['openai', 'openai-responses', 'anthropic'])(
  'an endpoint that redirects is refused, and no request reaches where it leads: %s',
  async (provider) => {
    const environment = {
      ...baton,
      BATON_LLM_PROVIDER: provider,
      BATON_LLM_ENDPOINT: redirectingUrl,
      BATON_LLM_API_KEY: 'key-of-the-llm',
    };
    const agent = AgentProcess.startBatonAgent([], environment);
    expect(await agent.waitForExit()).toBe(78);
    const remedy = `The LLM endpoint answered 307, a redirect, which is not followed. Name the address that it leads to.`;
    expect(agent.errors.join('\n')).toContain(`--endpoint=${redirectingUrl}: ${remedy}`);
    const { said } = await runBaton(['doctor', '--json'], { cwd: folder, environment });
    expect(said).toContain(remedy);
    expect(llm.probes + llm.calls.length).toBe(0);
  },
);

/** What the endpoint is sent by `baton agent` and by `baton doctor`, and what they say. */
async function askBoth(provider: string, keys: Record<string, string>) {
  const environment = { ...baton, ...keys, BATON_LLM_PROVIDER: provider, BATON_LLM_ENDPOINT: llm.url };
  const sent: string[] = [];
  llm.probeBehaviour = ({ headers }) => {
    sent.push(JSON.stringify(headers));
    return { do: 'refuse', status: 401 };
  };
  const agent = AgentProcess.startBatonAgent([], environment);
  expect(await agent.waitForExit()).toBe(78);
  const doctor = await runBaton(['doctor', '--json'], { cwd: folder, environment });
  expect(sent).toHaveLength(2);
  return { sent, said: [agent.errors.join('\n'), doctor.said] };
}

test.each([
  ['openai', 'OPENAI_API_KEY', 'https://api.openai.com'],
  ['openai-responses', 'OPENAI_API_KEY', 'https://api.openai.com'],
  ['anthropic', 'ANTHROPIC_API_KEY', 'https://api.anthropic.com'],
])(
  "the key of %s's own variable is never sent to another endpoint, which is said once; BATON_LLM_API_KEY is",
  async (provider, variable, own) => {
    const { sent, said } = await askBoth(provider, { [variable]: 'key-of-the-provider' });
    for (const headers of sent) expect(headers).not.toContain('key-of-the-provider');
    for (const text of said) {
      expect(text.split(`${variable} is not sent to ${llm.url}: it is for ${own} alone.`)).toHaveLength(2);
      expect(text).toContain('give it as BATON_LLM_API_KEY');
    }
    const both = { [variable]: 'key-of-the-provider', BATON_LLM_API_KEY: 'key-of-the-endpoint' };
    const given = await askBoth(provider, both);
    for (const text of given.said) expect(text).not.toContain('is not sent');
    for (const headers of given.sent) {
      expect(headers).toContain('key-of-the-endpoint');
      expect(headers).not.toContain('key-of-the-provider');
    }
  },
);
