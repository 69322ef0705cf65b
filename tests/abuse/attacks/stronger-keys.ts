import type { Attack } from '../target/attack.ts';

/** A tenant's admin makes keys that are stronger than its own, or that pass for others. */
export const strongerKeys: Attack = {
  name: 'keys that are stronger than the key that makes them',
  withoutGuard: [
    {
      file: 'program',
      from: 'if (wanted.scopes.includes("admin"))',
      to: 'if (false)',
    },
    {
      file: 'program',
      from: 'if (wanted.principal !== void 0 && RESERVED_PRINCIPAL.test(wanted.principal))',
      to: 'if (false)',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const tenant = await target.createTenant();
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const admin = await target.createKey(tenant, { scopes: ['admin'], expiresAt });
    const victim = await target.createKey(tenant, { scopes: ['mcp'] });
    const otherAdmin = await target.createKey(tenant, { scopes: ['admin'] });
    const path = `/v1/tenants/${tenant}/keys`;
    const make = (body: object) =>
      target.send('POST', path, { key: admin.key, body: { name: 'x', ...body } });

    if ((await make({ scopes: ['admin'] })).status === 201) gains.push('an admin of its own');
    if ((await make({ principal: 'operator' })).status === 201) gains.push("the operator's principal");
    if ((await make({ principal: `key-${victim.id}` })).status === 201) gains.push("another key's principal");
    for (const body of [{}, { expiresAt: new Date(Date.now() + 6_000_000).toISOString() }]) {
      const { json } = await make(body);
      if (json?.key !== undefined && !(Date.parse(json.expiresAt) <= Date.parse(expiresAt)))
        gains.push('a key that outlives it');
    }
    const rotation = await target.send('POST', `${path}/${otherAdmin.id}/rotate`, {
      key: admin.key,
      body: {},
    });
    if (rotation.status === 201) gains.push('the key of another admin');
    return gains;
  },
};
