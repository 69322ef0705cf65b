import { expect, test } from 'vitest';
import { removeUndeclaredTaskParam } from './task-param.ts';

const call = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

test.each([undefined, '2025-06-18', '2025-03-26', 'x'])(
  'a task that is asked for in the revision %s is ignored, in a batch too, and nothing else is',
  (version) => {
    const body = [call({ task: {}, name: 'x' }), { ...call({}), task: 1 }, 7];
    removeUndeclaredTaskParam(body, version);
    expect(body).toEqual([call({ name: 'x' }), { ...call({}), task: 1 }, 7]);
  },
);

test('in 2025-11-25 a call of a tool keeps it, whatever it is, and any other request loses it', () => {
  const prompt = { ...call({ task: {}, name: 'x' }), method: 'prompts/get' };
  for (const task of [{}, { ttl: 5 }, 'x', null]) {
    const body = [call({ task, name: 'x' }), { ...prompt, params: { task, name: 'x' } }];
    removeUndeclaredTaskParam(body, '2025-11-25');
    expect(body).toEqual([call({ task, name: 'x' }), { ...prompt, params: { name: 'x' } }]);
  }
});
