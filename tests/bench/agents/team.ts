import { sendJson } from '../processes/minimal-http-client.ts';
import type { Endpoint } from '../processes/project-calls.ts';

/** A primary and two specialists, of which one has parameters of its own. */
const TEAM = [
  {
    id: 'assistant',
    name: 'Assistant',
    instructions: 'Answer questions about the harbour. Ask your specialists for what you do not know.',
    isPrimary: true,
  },
  {
    id: 'web_search',
    name: 'Web search',
    instructions: 'Search the web, and name your sources.',
    description: 'Searches the web for current information',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'The search query' } },
      required: ['query'],
    },
  },
  { id: 'coder', name: 'Coder', instructions: 'Write short programs.' },
];

/** Stores the team as the agents of a tenant. */
export async function putTeam({ url, key }: Endpoint): Promise<void> {
  for (const agent of TEAM) await sendJson(`${url}/v1/agents/${agent.id}`, key, agent, 'PUT');
}
