import { answerInteractions, answerWith, createModelFactory } from '@baton/agent';

const model = createModelFactory({
  provider: 'openai',
  endpoint: process.env['LLM_URL'],
  apiKey: process.env['LLM_KEY'],
});
const agent = answerInteractions({
  url: process.env['BATON_URL'] ?? 'http://127.0.0.1:8080/mcp',
  key: process.env['BATON_API_KEY'] ?? '',
  answer: answerWith(model('gpt-4.1-mini')),
  onEvent: (event) => console.log(event.kind, 'request' in event ? event.request.summary : ''),
});
process.once('SIGTERM', () => agent.stop());
console.log(await agent.done);
