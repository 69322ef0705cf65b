import type { PriceTable } from '@baton/protocol';
import { admissionRecheckArgs, admissionRecheckKeys } from '../identity/admission-recheck-args.ts';
import type { Identity } from '../identity/identity.ts';
import { refusalError } from '../records/refusal-error.ts';
import { PUT_PRICES } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

/** What each model costs a tenant: one table, replaced as a whole. */
export class Prices {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** Undefined where none was stored. */
  async read(): Promise<PriceTable | undefined> {
    const { connection, keys } = this.context;
    const text = await connection.command((client) => client.get(keys.prices));
    return text === null ? undefined : (JSON.parse(text) as PriceTable);
  }

  /** Errors: those of an admission that ended. */
  async put(identity: Identity, prices: PriceTable): Promise<void> {
    const { connection, keys } = this.context;
    const scriptKeys = { ...admissionRecheckKeys(identity, keys), prices: keys.prices };
    const args = { ...admissionRecheckArgs(identity), table: JSON.stringify(prices) };
    const reply = await runScript(connection, PUT_PRICES, scriptKeys, args);
    if (reply[0] !== 'stored') throw refusalError(reply);
  }
}
