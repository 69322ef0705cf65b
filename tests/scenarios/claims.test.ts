import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  callToolForError,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** How agents share pending interactions: claims with leases, and filters, on any replica. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => {
  await baton.stop();
});

/** A tenant of its own for each test: a client on either replica, of one agent's key, and another agent's. */
let here: Client;
let there: Client;
let another: Client;
let key: string;
let tenants = 0;
beforeEach(async () => {
  const id = `claims-${++tenants}`;
  await baton.addTenant(id);
  key = await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'one' }, id);
  const other = await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'two' }, id);
  here = await connectMcpClient(baton.url(0), key);
  there = await connectMcpClient(baton.url(1), key);
  another = await connectMcpClient(baton.url(1), other);
});

const ask = async (text: string, role = 'main'): Promise<AnyJson> =>
  callTool(there, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'ask',
      role,
      serviceType: 'generateText',
      requestParameters: { messages: [{ role: 'user', content: text }] },
    },
  });
const pending = (client: Client, args: object) => callTool(client, 'pending_interactions', args);
const idsOf = ({ interactions }: AnyJson): string[] => interactions.map((one: AnyJson) => one.interactionId);
const answer = (interactionId: string) =>
  callTool(there, 'agent_llm', { interactionId, agentLLMResponse: successAnswer({ text: 'yes' }) });

describe('a claim', () => {
  const lease = { leaseMs: 60_000 };

  test('of one interaction can be renewed and released only by its holder, and hides it from everyone else', async () => {
    const { interactionId } = await ask('x');
    const mine = (args: object) => ({ interactionId, claim: { holder: 'a', ...args } });
    const [first] = (await pending(here, mine({ leaseMs: 30_000 }))).interactions;
    const [renewed] = (await pending(there, mine(lease))).interactions;
    expect(Date.parse(renewed.claimedUntil)).toBeGreaterThan(Date.parse(first.claimedUntil) + 20_000);
    for (const [client, claim] of [
      [another, { ...lease, holder: 'a' }],
      [here, { ...lease, holder: 'b' }],
      [here, lease],
      [here, { leaseMs: 0, holder: 'b' }],
    ] as const) {
      const error = await callToolForError(client, 'pending_interactions', { interactionId, claim });
      expect(error).toMatchObject({ code: 'interaction_claimed', interactionId });
      expect(error.retryAfterMs).toBeGreaterThan(50_000);
    }
    expect(idsOf(await pending(here, { claim: { ...lease, holder: 'a' } }))).toEqual([]);
    const [ended] = (await pending(here, mine({ leaseMs: 0 }))).interactions;
    expect(ended.claimedUntil).toBeUndefined();
    expect(idsOf(await pending(another, { claim: lease }))).toEqual([interactionId]);
  });

  test('that was made by a list can be renewed by interaction id', async () => {
    await ask('x');
    const [claimed] = (await pending(here, { claim: { max: 5, leaseMs: 5_000, holder: 'a' } })).interactions;
    const claim = { ...lease, holder: 'a' };
    const [renewed] = (await pending(here, { interactionId: claimed.interactionId, claim })).interactions;
    expect(Date.parse(renewed.claimedUntil)).toBeGreaterThan(Date.parse(claimed.claimedUntil) + 50_000);
  });

  test('is released with all claims of its holder, and never with those of others', async () => {
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push((await ask('x')).interactionId);
    const take = (holder: string, max: number) => pending(here, { claim: { max, ...lease, holder } });
    await take('a', 2);
    await take('b', 1);
    expect(idsOf(await pending(there, { claim: { leaseMs: 0, holder: 'a' } }))).toEqual([]);
    expect(idsOf(await pending(another, { claim: { max: 5, ...lease } }))).toEqual([ids[0], ids[1], ids[3]]);
    expect(idsOf(await take('a', 5)), 'whoever has resigned is given nothing').toEqual([]);
  });

  test('that has expired can never be renewed once another has the interaction', async () => {
    const { interactionId } = await ask('x');
    await pending(here, { interactionId, claim: { leaseMs: 1_000, holder: 'a' } });
    const taken = await pending(another, { claim: lease, waitMs: 10_000 });
    expect(idsOf(taken)).toEqual([interactionId]);
    const late = { interactionId, claim: { ...lease, holder: 'a' } };
    expect((await callToolForError(here, 'pending_interactions', late)).code).toBe('interaction_claimed');
  });

  test('never blocks an answer of someone else, and is refused for an ended interaction', async () => {
    const { interactionId } = await ask('x');
    await pending(another, { interactionId, claim: lease });
    expect((await answer(interactionId)).outcome.status).toBe('completed');
    const late = { interactionId, claim: lease };
    expect((await callToolForError(another, 'pending_interactions', late)).code).toBe(
      'interaction_already_answered',
    );
    const unknown = { ...late, interactionId: interactionId.replace(/^.{8}/, '00000000') };
    expect((await callToolForError(here, 'pending_interactions', unknown)).code).toBe(
      'interaction_not_found',
    );
  });

  test('is refused to a caller that may not see the interaction', async () => {
    const { interactionId } = await ask('x');
    const theirs = await baton.createKey({ scopes: ['mcp'], principal: 'eve' }, `claims-${tenants}`);
    const eve = await connectMcpClient(baton.url(0), theirs);
    const args = { interactionId, claim: lease };
    expect((await callToolForError(eve, 'pending_interactions', args)).code).toBe('interaction_not_found');
  });

  test('with an operation and role never claims anything else', async () => {
    const main = await ask('m');
    const research = [await ask('r1', 'research'), await ask('r2', 'research'), await ask('r3', 'research')];
    const parsed = await callTool(there, 'parse_prd', { prd: 'A shop.', projectRoot: 'shop', force: true });
    const first = await pending(here, { role: 'research', claim: { max: 2, ...lease } });
    expect(idsOf(first)).toEqual(research.slice(0, 2).map((one) => one.interactionId));
    const next = await pending(here, {
      role: 'research',
      claim: { max: 2, ...lease },
      cursor: first.nextCursor,
    });
    expect(idsOf(next)).toEqual([research[2].interactionId]);
    const operation = { operation: 'parse_prd', claim: { max: 5, ...lease } };
    expect(idsOf(await pending(here, { ...operation, role: 'research' }))).toEqual([]);
    expect(idsOf(await pending(here, { operation: 'parse_prd' }))).toEqual([parsed.interactionId]);
    expect(idsOf(await pending(here, operation))).toEqual([parsed.interactionId]);
    expect(idsOf(await pending(another, { claim: { max: 5, ...lease } }))).toEqual([main.interactionId]);
  });

  test('is shown with its holder in every view while it lasts, and in the timeline for good', async () => {
    const { interactionId, taskId } = await ask('x');
    const rest = async (path: string): Promise<AnyJson> =>
      (await fetch(`${baton.url(1)}/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).json();
    /** Of each view who has claimed the interaction, and until when. */
    const views = async () => {
      const found = [
        ...(await pending(there, {})).interactions,
        ...(await pending(there, { requests: true })).interactions,
        ...(await pending(there, { interactionId })).interactions,
        ...(await rest('/interactions?status=pending')).interactions,
        ...(await rest('/interactions')).interactions,
        await rest(`/interactions/${interactionId}`),
        ...(await rest(`/tasks/${taskId}`)).interactions,
      ];
      expect(found).toHaveLength(7);
      return found.map(({ claimedBy, claimedUntil }) => ({ claimedBy, claimedUntil }));
    };
    const nobody = { claimedBy: undefined, claimedUntil: undefined };
    const claims = async () =>
      (await rest(`/tasks/${taskId}`)).timeline.filter((one: AnyJson) => one.event === 'interaction_claimed');
    for (const view of await views()) expect(view).toEqual(nobody);
    expect(await claims()).toEqual([]);

    const by = (holder: string, leaseMs = lease.leaseMs) => ({ interactionId, claim: { leaseMs, holder } });
    const [claimed] = (await pending(here, by('laptop of Ada'))).interactions;
    const { claimedUntil } = claimed;
    const ada = { claimedBy: { principal: 'one', holder: 'laptop of Ada' }, claimedUntil };
    for (const view of await views()) expect(view).toEqual(ada);
    expect(await callToolForError(another, 'pending_interactions', by('x'))).toMatchObject({
      code: 'interaction_claimed',
      claimedBy: ada.claimedBy,
    });
    const [first] = await claims();
    expect(first).toMatchObject({ by: 'one', holder: 'laptop of Ada', interactionId });
    await pending(here, by('laptop of Ada', 90_000));
    expect(await claims(), 'a claim that is renewed was made when it was made').toEqual([first]);

    await pending(there, by('laptop of Ada', 0));
    for (const view of await views()) expect(view).toEqual(nobody);
    expect(await claims()).toEqual([first]);

    // A claim by a list, without a name, whose lease ends by itself.
    await pending(another, { claim: { leaseMs: 1_000 } });
    expect((await pending(there, {})).interactions[0].claimedBy).toEqual({ principal: 'two' });
    await pending(here, { claim: lease, waitMs: 10_000 });
    expect((await pending(there, {})).interactions[0].claimedBy).toEqual({ principal: 'one' });
    await answer(interactionId);
    const [ended] = (await rest('/interactions?status=answered')).interactions;
    expect(ended).toMatchObject({ interactionId, answeredBy: 'one' });
    expect(ended.claimedBy).toBeUndefined();
  });

  test('never outlives its lease or the release of its holder in any view', async () => {
    const { interactionId } = await ask('x');
    const shown = async () => (await pending(there, { interactionId })).interactions[0].claimedBy;
    await pending(here, { interactionId, claim: { ...lease, holder: 'a' } });
    expect(await shown()).toEqual({ principal: 'one', holder: 'a' });
    await pending(here, { claim: { leaseMs: 0, holder: 'a' } });
    expect(await shown()).toBeUndefined();
    await pending(here, { interactionId, claim: { leaseMs: 1_000, holder: 'b' } });
    expect(await shown()).toEqual({ principal: 'one', holder: 'b' });
    await expect.poll(shown, { timeout: 5_000 }).toBeUndefined();
  });

  test('and a list may be of one principal, of an age and of a number', async () => {
    const first = await ask('x');
    const theirs = await callTool(another, 'agent_llm', {
      delegatedCallDetails: {
        originalCommand: 'ask',
        role: 'main',
        serviceType: 'generateText',
        requestParameters: { messages: [{ role: 'user', content: 'y' }] },
      },
    });
    const last = await ask('z');
    const all: string[] = [first, theirs, last].map(({ interactionId }) => interactionId);
    const lists = async (status: string) => {
      const list = async (args: object) => idsOf(await pending(here, { status, ...args })).toSorted();
      const { interactions } = await pending(here, { status });
      const times = interactions.map(({ createdAt }: AnyJson) => createdAt).toSorted();
      expect(idsOf({ interactions }).toSorted()).toEqual(all.toSorted());
      expect(await list({ principal: 'two' })).toEqual([theirs.interactionId]);
      expect(await list({ createdBefore: times[0] })).toEqual([]);
      expect(await list({ createdAfter: times[0] })).toEqual(all.toSorted());
      expect(await list({ createdAfter: times[2] })).toContain(last.interactionId);
      expect(await list({ createdAfter: new Date(Date.parse(times[2]) + 1).toISOString() })).toEqual([]);
      const page = await pending(here, { status, limit: 2 });
      const rest = await pending(here, { status, limit: 2, cursor: page.nextCursor });
      expect([idsOf(page).length, idsOf(rest).length]).toEqual([2, 1]);
    };
    await lists('pending');
    const claimed = await pending(here, { principal: 'two', claim: { max: 5, ...lease } });
    expect(idsOf(claimed)).toEqual([theirs.interactionId]);
    const admin = await baton.createKey({ scopes: ['admin'] }, `claims-${tenants}`);
    for (const id of all) {
      const headers = { authorization: `Bearer ${admin}` };
      const url = `${baton.url(0)}/v1/interactions/${id}/cancel`;
      expect((await fetch(url, { method: 'POST', headers })).status).toBe(200);
    }
    await lists('cancelled');
  });

  test('with contradictory arguments is refused by the field', async () => {
    for (const [args, field] of [
      [{ claim: { leaseMs: 0 } }, 'claim.leaseMs'],
      [{ claim: { leaseMs: 999 } }, 'claim.leaseMs'],
      [{ claim: { leaseMs: 1_000, holder: 7 } }, 'claim.holder'],
      [{ interactionId: 'x', claim: { leaseMs: 1_000 }, status: 'answered' }, 'claim'],
      [{ interactionId: 'x', waitMs: 5 }, 'waitMs'],
      [{ status: 'expired', waitMs: 5 }, 'waitMs'],
      [{ waitMs: 25_001 }, 'waitMs'],
      [{ interactionId: 'x', role: 'main' }, 'role'],
      [{ interactionId: 'x', limit: 5 }, 'limit'],
      [{ createdAfter: 'yesterday' }, 'createdAfter'],
      [{ limit: 0 }, 'limit'],
      [{ interactionId: 'x', operation: 'echo' }, 'operation'],
      [{ role: 'nobody' }, 'role'],
    ] as const) {
      const error = await callToolForError(here, 'pending_interactions', args);
      expect([args, error.code, error.field]).toEqual([args, 'invalid_arguments', field]);
    }
  });
});
