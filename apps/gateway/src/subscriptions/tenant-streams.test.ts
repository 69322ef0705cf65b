import { startPrivateRedis } from '@baton/local-redis';
import { parseApiKey } from '@baton/protocol';
import { Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSession } from '../sessions/session.ts';
import { NotificationStream } from './notification-stream.ts';
import { keyHolder } from './stream-holder.ts';
import { sessionSource } from './stream-source.ts';
import { TenantStreams } from './tenant-streams.ts';

let store: Store;
let stopRedis: () => Promise<void>;

beforeAll(async () => {
  const redis = await startPrivateRedis();
  stopRedis = redis.stop;
  store = await Store.open({ url: redis.url, secret: 'pepper', replica: 'replica-1' });
  await new OperatorStore(store).create({ id: 'acme' });
});
afterAll(async () => {
  await store?.close();
  await stopRedis?.();
});

test('a key that is revoked after its request was admitted, and before the change feed is open, opens no stream', async () => {
  const tenant = store.tenant('acme');
  const streams = new TenantStreams(tenant, store.admissionChanges);
  const opened = async () => {
    const { id, key: text } = await tenant.apiKeys.create({ name: 'x', scopes: ['mcp'] });
    const key = parseApiKey(text);
    if (key === undefined) throw new Error('a key that was just made does not parse');
    const identity = await tenant.caller(key, 0).admit(['mcp']);
    const clientInfo = { name: 'x', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const session = createSession({ tenant: 'acme', principal: identity.principal }, id, params);
    return {
      id,
      stream: new NotificationStream(
        sessionSource(session, tenant),
        { holder: keyHolder(tenant, key, ['mcp', 'agent']), identity },
        streams.index,
      ),
    };
  };
  const [stays, goes] = [await opened(), await opened()];
  await tenant.apiKeys.revoke(goes.id);
  await streams.add(stays.stream);
  await expect(streams.add(goes.stream)).rejects.toMatchObject({ code: 'unauthenticated' });
  for (const { stream } of [stays, goes]) streams.remove(stream);
  expect(streams.size).toBe(0);
});
