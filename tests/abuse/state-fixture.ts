import { sendRawRequest } from './environment/raw-http.ts';
import type { AbuseEnvironment, GatewayUnderTest } from './environment/abuse-environment.ts';

/**
 * Interactions, tasks and projects that inputs can refer to. Inputs name them by placeholders, and the fixture puts the ids of the run in.
 */
export class StateFixture {
  /** Placeholders by field name, as `validInputs` takes them. */
  readonly values = {
    interactionId: ['@interaction:0', '@interaction:1', '@interaction:2'],
    taskId: ['@task:0', '@task:1', '@task:2'],
    projectRoot: ['demo', 'empty'],
    tag: ['master', 'side'],
    id: ['1', '2', '1.1', '1,2'],
  };
  private readonly environment: AbuseEnvironment;
  private readonly ids = new Map<string, string>();

  constructor(environment: AbuseEnvironment) {
    this.environment = environment;
  }

  /** Parks new calls and restores the projects. */
  async reset(): Promise<void> {
    const { gateway } = this.environment;
    const messages = [{ role: 'user', content: 'x' }];
    const details = (serviceType: string, more: object = {}) => ({
      delegatedCallDetails: { originalCommand: 'x', serviceType, requestParameters: { messages, ...more } },
    });
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    for (const projectRoot of ['demo', 'empty']) {
      const tasks = [1, 2].map((id) => ({
        id,
        title: `T${id}`,
        description: 'd',
        subtasks: [{ id: 1, title: 'S' }],
      }));
      const file = { master: { tasks: projectRoot === 'demo' ? tasks : [] }, side: { tasks: [] } };
      await sendRawRequest(
        gateway.url,
        {
          method: 'PUT',
          path: `/v1/projects/${projectRoot}`,
          headers: [
            ['authorization', `Bearer ${gateway.keys.admin}`],
            ['content-type', 'application/json'],
          ],
          body: JSON.stringify(file),
        },
        10_000,
      );
    }
    const asked = [
      await this.environment.callToolForContent(gateway, 'parse_prd', {
        prd: 'A shop',
        projectRoot: 'demo',
        append: true,
      }),
      await this.environment.callToolForContent(gateway, 'agent_llm', details('generateObject', { schema })),
      await this.environment.callToolForContent(gateway, 'agent_llm', details('streamText')),
    ];
    for (const [index, { interactionId, taskId }] of asked.entries()) {
      this.ids.set(`${gateway.name} @interaction:${index}`, interactionId);
      this.ids.set(`${gateway.name} @task:${index}`, taskId);
    }
  }

  /** Replaces the placeholders of an input by the ids of one gateway. */
  resolve(gateway: GatewayUnderTest, input: unknown): unknown {
    if (typeof input === 'string') return this.ids.get(`${gateway.name} ${input}`) ?? input;
    if (Array.isArray(input)) return input.map((inner) => this.resolve(gateway, inner));
    if (typeof input !== 'object' || input === null) return input;
    return Object.fromEntries(
      Object.entries(input).map(([key, inner]) => [key, this.resolve(gateway, inner)]),
    );
  }
}
