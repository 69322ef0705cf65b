import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  postJsonRpc,
  callToolForError,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

describe('a delegation', () => {
  let baton: InProcessDeployment;
  let one: Client;
  let other: Client;

  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
    one = await connectMcpClient(baton.url(0), baton.apiKey);
    other = await connectMcpClient(baton.url(1), baton.apiKey);
  });
  afterAll(() => baton.stop());

  const echo = (client: Client = one, text = 'hello') => callTool(client, 'bench_echo', { text });
  const answer = (client: Client, interactionId: string, data: unknown, more: object = {}) =>
    callTool(client, 'agent_llm', { interactionId, agentLLMResponse: successAnswer(data), ...more });

  test('is parked with the documented directive, as structured content and as text', async () => {
    const result = await one.callTool({ name: 'bench_echo', arguments: { text: 'hello' } });
    const directive = result.structuredContent as AnyJson;
    expect(directive).toMatchObject({
      toolResponseSource: 'taskmaster_to_agent',
      status: 'pending_agent_llm_action',
      llmRequestForAgent: { apiKey: null, schema: { type: 'object' } },
      pendingInteractionSignalToAgent: {
        type: 'agent_must_respond_via_agent_llm',
        interactionId: directive.interactionId,
      },
      operation: 'bench_echo',
      role: 'main',
      serviceType: 'generateObject',
      attempt: 1,
    });
    expect(directive.interactionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Date.parse(directive.expiresAt)).toBeGreaterThan(Date.now());
    expect(result._meta).toEqual({ 'io.modelcontextprotocol/related-task': { taskId: directive.taskId } });
    const blocks = result.content as { type: string; text: string }[];
    const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text);
    expect(JSON.parse(texts.at(-1) ?? '')).toEqual(directive);
  });

  test('is answered on another replica, which returns the finished result', async () => {
    const { interactionId, taskId } = await echo();
    const confirmed = await answer(other, interactionId, { object: { value: 'yes' } });
    expect(confirmed).toEqual({
      status: 'agent_response_processed_by_taskmaster',
      interactionId,
      taskId,
      outcome: {
        status: 'completed',
        result: { status: 'completed', operation: 'bench_echo', taskId, value: 'yes' },
      },
    });
    expect(await callTool(one, 'task_status', { taskId })).toMatchObject({
      taskId,
      status: 'completed',
      operation: 'bench_echo',
      result: { value: 'yes' },
    });
  });

  test('accepts bare data and text in a code fence', async () => {
    for (const data of [{ value: 'bare' }, { text: '```json\n{"value":"bare"}\n```' }]) {
      const { interactionId } = await echo();
      expect((await answer(other, interactionId, data)).outcome.result.value).toBe('bare');
    }
  });

  test('confirms a repeated answer again, and refuses a different one', async () => {
    const { interactionId } = await echo();
    const first = await answer(one, interactionId, { object: { value: 'a' }, model: 'm' });
    const again = await answer(other, interactionId, { model: 'm', object: { value: 'a' } });
    expect(again).toEqual({ ...first, replayed: true });
    const refused = await callToolForError(other, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ value: 'b' }),
    });
    expect(refused).toMatchObject({ code: 'interaction_already_answered', interactionId });
  });

  test('requests an invalid answer again, with its validation error', async () => {
    const { interactionId, taskId } = await echo();
    const { outcome } = await answer(other, interactionId, { object: { value: 7 } }, { repeat: true });
    expect(outcome).toMatchObject({ status: 'input_required', pending: { taskId, attempt: 2 } });
    expect(outcome.pending.interactionId).not.toBe(interactionId);
    const [quoted, told] = outcome.pending.llmRequestForAgent.messages.slice(-2);
    expect(quoted).toEqual({ role: 'assistant', content: '{"value":7}' });
    expect(told.content).toContain('value: Invalid input: expected string, received number');
    const end = await answer(one, outcome.pending.interactionId, { value: 'right' });
    expect(end.outcome.result.value).toBe('right');
  });

  test('fails with the last validation error when no answer is valid', async () => {
    let { interactionId, taskId } = await echo();
    let outcome: AnyJson;
    for (let attempt = 1; attempt <= 4; attempt++) {
      ({ outcome } = await answer(one, interactionId, { object: { value: attempt } }));
      interactionId = outcome.pending?.interactionId;
    }
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'answer_invalid', attempts: 4 } });
    expect(await callTool(one, 'task_status', { taskId })).toMatchObject({
      status: 'failed',
      error: { code: 'answer_invalid' },
    });
  });

  test("fails with the agent's details when its LLM call failed permanently", async () => {
    const { interactionId } = await echo();
    const errorDetails = { message: 'content filtered', type: 'policy_error', vendor: 'x' };
    const { outcome } = await callTool(one, 'agent_llm', {
      interactionId,
      agentLLMResponse: { status: 'error', errorDetails },
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error', errorDetails } });
  });

  test('is requested again after a delay when the failure is transient', async () => {
    const { interactionId, taskId } = await echo();
    const agentLLMResponse = { status: 'error', errorDetails: { message: '429', type: 'rate_limit_error' } };
    const { outcome } = await callTool(one, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
    expect(outcome).toMatchObject({ status: 'input_required', pending: { taskId, attempt: 2 } });
  });

  test('returns working without waitMs, and task_status waits for the end', async () => {
    const { interactionId, taskId } = await echo();
    const { outcome } = await answer(other, interactionId, { value: 'later' }, { waitMs: 0 });
    expect(['working', 'completed']).toContain(outcome.status);
    const stands = await callTool(one, 'task_status', { taskId, waitMs: 10_000 });
    expect(stands).toMatchObject({ status: 'completed', result: { value: 'later' } });
  });

  test('never exists for another principal or another tenant', async () => {
    const { interactionId, taskId } = await echo();
    const stranger = await connectMcpClient(baton.url(0), await baton.createKey({}));
    const foreign = await connectMcpClient(baton.url(0), await baton.addTenant('foreign'));
    for (const client of [stranger, foreign]) {
      const never = '00000000-0000-8000-8000-000000000001';
      const ask = (id: string) =>
        callToolForError(client, 'agent_llm', {
          interactionId: id,
          agentLLMResponse: successAnswer({ value: 'x' }),
        });
      const [real, invented] = [await ask(interactionId), await ask(never)];
      expect(JSON.stringify(real).replaceAll(interactionId, '?')).toBe(
        JSON.stringify(invented).replaceAll(never, '?'),
      );
      expect(real.code).toBe('interaction_not_found');
      expect((await callToolForError(client, 'task_status', { taskId })).code).toBe('task_not_found');
      expect((await callToolForError(client, 'cancel_task', { taskId })).code).toBe('task_not_found');
      expect((await callTool(client, 'pending_interactions', { status: 'pending' })).interactions).toEqual(
        [],
      );
    }
    const agent = await connectMcpClient(baton.url(1), await baton.createKey({ scopes: ['agent'] }));
    expect((await answer(agent, interactionId, { value: 'by the agent' })).outcome.status).toBe('completed');
  });

  test('is listed with its whole request in pending_interactions, for a client that lost the directive', async () => {
    const client = await connectMcpClient(baton.url(1), await baton.createKey({}));
    const directive = await echo(client, 'find me');
    const { interactions } = await callTool(client, 'pending_interactions', { requests: 'true' });
    expect(interactions).toHaveLength(1);
    expect(interactions[0]).toMatchObject(directive);
    const { interactionId } = directive;
    const [listed, ...others] = (await callTool(client, 'pending_interactions', {})).interactions;
    expect(others).toEqual([]);
    const { llmRequestForAgent: _, pendingInteractionSignalToAgent: _signal, ...told } = directive;
    const { toolResponseSource: _source, message: _said, ...summary } = told;
    expect(listed).toMatchObject(summary);
    expect(Object.keys(listed)).not.toContain('llmRequestForAgent');
    expect((await callTool(client, 'pending_interactions', { interactionId })).interactions[0]).toMatchObject(
      directive,
    );
  });

  test('is claimed by one agent only, and a claim never blocks an answer', async () => {
    const key = await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'claims' });
    const tenantWide = await connectMcpClient(baton.url(0), key);
    const waiting = async () =>
      (await callTool(tenantWide, 'pending_interactions', { claim: { max: 50, leaseMs: 60_000 } }))
        .interactions;
    await waiting();
    const { interactionId } = await echo(one, 'claim me');
    expect((await waiting()).map((each: AnyJson) => each.interactionId)).toEqual([interactionId]);
    expect(await waiting()).toEqual([]);
    expect((await answer(one, interactionId, { value: 'by the caller' })).outcome.status).toBe('completed');
  });

  test('is cancelled with its task', async () => {
    const { interactionId, taskId } = await echo();
    expect(await callTool(other, 'cancel_task', { taskId })).toEqual({ taskId, status: 'cancelled' });
    const refused = await callToolForError(one, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ value: 'x' }),
    });
    expect(refused).toMatchObject({ code: 'interaction_cancelled', interactionId });
    expect(await callToolForError(one, 'cancel_task', { taskId })).toMatchObject({
      code: 'task_ended',
      status: 'cancelled',
    });
  });

  test('ends open waits when its task is cancelled', async () => {
    const { taskId, interactionId } = await callTool(one, 'bench_sleep', { ms: 60_000 }).catch(
      () => ({}) as AnyJson,
    );
    expect(interactionId).toBeUndefined();
    const waiting = callTool(one, 'task_status', { taskId, waitMs: 20_000 });
    await callTool(other, 'cancel_task', { taskId });
    expect(await waiting).toMatchObject({ status: 'cancelled', error: { code: 'task_cancelled' } });
  });

  test('fails with its reason when its program throws in the worker', async () => {
    const { interactionId } = await callTool(one, 'bench_poison', { text: 'x' });
    const { outcome } = await answer(other, interactionId, { value: 'poison' });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(outcome.error.message).toContain('TypeError');
  });

  test('opens several requests together and takes their answers in any order, on any replica', async () => {
    const first = await callTool(one, 'bench_fan', { n: 5 });
    expect(first.pendingInteractions).toHaveLength(5);
    const ids = first.pendingInteractions.map((each: AnyJson) => each.interactionId);
    expect(ids[0]).toBe(first.interactionId);
    let last: AnyJson;
    for (const [turn, id] of [...ids].reverse().entries()) {
      last = (await answer(turn % 2 ? one : other, id, { value: id })).outcome;
    }
    expect(last.status).toBe('completed');
  });

  test('returns the same task for a repeated idempotency key, and a conflict for other arguments', async () => {
    const meta = { 'baton/idempotencyKey': 'key' };
    const first = await callTool(one, 'bench_echo', { text: 'once' }, meta);
    expect(await callTool(other, 'bench_echo', { text: 'once' }, meta)).toEqual(first);
    expect((await callToolForError(other, 'bench_echo', { text: 'twice' }, meta)).code).toBe(
      'idempotency_conflict',
    );
    await answer(one, first.interactionId, { value: 'done' });
    expect(await callTool(other, 'bench_echo', { text: 'once' }, meta)).toMatchObject({
      status: 'completed',
      value: 'done',
    });
    const elsewhere = await connectMcpClient(baton.url(0), await baton.createKey({}));
    expect((await callTool(elsewhere, 'bench_echo', { text: 'once' }, meta)).taskId).not.toBe(first.taskId);
  });

  test('returns the finished task for a repeated key, although its first run changed the project', async () => {
    const projectRoot = 'lost-reply';
    const meta = { 'baton/idempotencyKey': 'lost' };
    const args = { prd: 'One thing', projectRoot };
    const { interactionId, taskId } = await callTool(one, 'parse_prd', args, meta);
    await answer(other, interactionId, { tasks: [{ id: 1, title: 'Thing', description: 'It.' }] });
    expect(await callTool(other, 'parse_prd', args, meta)).toMatchObject({
      status: 'completed',
      taskId,
      tasksAdded: 1,
    });
  });

  test("applies the idempotency key to a caller's own request too", async () => {
    const meta = { 'baton/idempotencyKey': 'own' };
    const delegatedCallDetails = (content: unknown) => ({
      originalCommand: 'c',
      serviceType: 'generateText',
      requestParameters: { messages: [{ role: 'user', content }], tools: [{ name: 'look' }] },
    });
    const parts = [{ type: 'text', text: 'In parts' }];
    const first = await callTool(
      one,
      'agent_llm',
      { delegatedCallDetails: delegatedCallDetails(parts) },
      meta,
    );
    expect(
      await callTool(other, 'agent_llm', { delegatedCallDetails: delegatedCallDetails(parts) }, meta),
    ).toEqual(first);
    const others = { delegatedCallDetails: delegatedCallDetails('Other') };
    expect((await callToolForError(one, 'agent_llm', others, meta)).code).toBe('idempotency_conflict');
    const toolCalls = [{ id: 'c1', name: 'look', arguments: {} }];
    const { outcome } = await answer(one, first.interactionId, { toolCalls, model: 'm' });
    expect(outcome.result).toMatchObject({ response: '', toolCalls, model: 'm' });
    expect(
      await callTool(one, 'agent_llm', { delegatedCallDetails: delegatedCallDetails(parts) }, meta),
    ).toEqual(outcome.result);
  });

  test('can be opened by a caller for its own request, and is validated against its schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', pattern: '^[A-Z]' } },
      required: ['city'],
    };
    const requestParameters = {
      messages: [{ role: 'user', content: 'A capital?' }],
      schema,
      temperature: 0.2,
    };
    const delegatedCallDetails = {
      originalCommand: 'quiz',
      role: 'research',
      serviceType: 'generateObject',
      requestParameters,
    };
    const opened = await callTool(one, 'agent_llm', { delegatedCallDetails });
    expect(opened).toMatchObject({
      role: 'research',
      llmRequestForAgent: { ...requestParameters, apiKey: null },
    });
    const wrong = await answer(other, opened.interactionId, { object: { city: 'oslo' } });
    expect(wrong.outcome.pending.attempt).toBe(2);
    const right = await answer(other, wrong.outcome.pending.interactionId, { object: { city: 'Oslo' } });
    expect(right.outcome.result).toMatchObject({ originalCommand: 'quiz', response: { city: 'Oslo' } });
  });

  test('joins streamed chunks in any order, and stays pending with a gap', async () => {
    const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
    const delegatedCallDetails = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
    const { interactionId } = await callTool(one, 'agent_llm', { delegatedCallDetails });
    const chunk = (client: Client, sequence: number, delta: string) =>
      callTool(client, 'agent_llm', {
        interactionId,
        agentLLMResponse: { status: 'streaming', sequence, delta },
      });
    const kept = await chunk(other, 2, ' end.');
    expect(kept).toMatchObject({ interactionId, outcome: { status: 'input_required' } });
    await chunk(one, 0, 'Once');
    expect((await chunk(other, 0, 'Once')).replayed).toBe(true);
    const twice = { interactionId, agentLLMResponse: { status: 'streaming', sequence: 0, delta: 'Twice' } };
    expect((await callToolForError(one, 'agent_llm', twice)).field).toBe('agentLLMResponse.sequence');
    const end = { status: 'success', data: { usage: { inputTokens: 1, outputTokens: 2 } } };
    const gap = await callToolForError(one, 'agent_llm', { interactionId, agentLLMResponse: end });
    expect(gap).toMatchObject({ code: 'invalid_arguments', sequence: 1 });
    await chunk(one, 1, ' upon a time. The');
    const { outcome } = await callTool(other, 'agent_llm', { interactionId, agentLLMResponse: end });
    expect(outcome.result.response).toBe('Once upon a time. The end.');
    const again = await callTool(one, 'agent_llm', { interactionId, agentLLMResponse: end });
    expect(again, 'the same again, though its chunks are gone').toMatchObject({ replayed: true, outcome });
  });

  test('accepts chunks only for streamed text', async () => {
    const { interactionId } = await echo();
    const chunk = { interactionId, agentLLMResponse: { status: 'streaming', sequence: 0, delta: 'x' } };
    expect((await callToolForError(one, 'agent_llm', chunk)).field).toBe('agentLLMResponse.status');
    expect((await answer(other, interactionId, { value: 'whole' })).outcome.status).toBe('completed');
  });

  test('fails with a named error when its schema cannot be compiled', async () => {
    const n = { allOf: [{ $ref: '#/$defs/n' }] };
    const requestParameters = {
      messages: [{ role: 'user', content: 'x' }],
      schema: { $defs: { n }, $ref: '#/$defs/n' },
    };
    const delegatedCallDetails = { originalCommand: 'c', serviceType: 'generateObject', requestParameters };
    const { interactionId } = await callTool(one, 'agent_llm', { delegatedCallDetails });
    const { outcome } = await answer(other, interactionId, { object: { a: 1 } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'schema_unusable' } });
  });

  test('returns an interaction that has ended with its final status', async () => {
    const { interactionId } = await echo();
    await answer(one, interactionId, { value: 'x' });
    const [shown] = (await callTool(other, 'pending_interactions', { interactionId })).interactions;
    expect(shown).toMatchObject({ interactionId, status: 'answered' });
    expect(shown.pendingInteractionSignalToAgent).toBeUndefined();
    const claim = { max: '1', leaseMs: '1000' };
    expect((await callToolForError(one, 'pending_interactions', { status: 'answered', claim })).field).toBe(
      'claim',
    );
  });

  test('is served to curl without a session and an Accept header', async () => {
    const rpc = (method: string, params: object) =>
      postJsonRpc(baton.url(1), baton.apiKey, { jsonrpc: '2.0', id: 'a', method, params }, { accept: '*/*' });
    const { status, headers, body } = await rpc('tools/call', {
      name: 'bench_echo',
      arguments: { text: 'curl' },
    });
    expect([status, headers.get('x-baton-replica'), body.id]).toEqual([200, 'gateway-1', 'a']);
    const interactionId = body.result.structuredContent.interactionId;
    const args = { interactionId, agentLLMResponse: successAnswer({ value: 'ok' }) };
    const answered = await rpc('tools/call', { name: 'agent_llm', arguments: args });
    expect(answered.body.result.structuredContent.outcome.status).toBe('completed');
  });
});
