import { WorkflowFixture } from '../workflows/workflow-fixture.ts';

/** An agent as small as one may be. */
export const agentNamed = (id: string, more: object = {}) => ({
  id,
  name: `The ${id}`,
  instructions: `You are ${id}.`,
  ...more,
});

/** Stores an agent at a replica. */
export function putAgent(fixture: WorkflowFixture, id: string, more: object = {}, at = 0) {
  return fixture.rest('PUT', `/agents/${id}`, agentNamed(id, more), { at });
}

export { WorkflowFixture as AgentFixture };
