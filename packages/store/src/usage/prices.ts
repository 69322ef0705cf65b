import type { PriceTable } from '@baton/protocol';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import type { Identity } from '../identity/identity.ts';
import { refusalError } from '../records/refusal-error.ts';
import { PUT_PRICES } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { TenantPart } from '../tenant/tenant-context.ts';

/** What each model costs a tenant: one table, replaced as a whole. */
export class Prices extends TenantPart {
  /** Undefined where none was stored. */
  async read(): Promise<PriceTable | undefined> {
    const { connection, keys } = this.context;
    const text = await connection.command((client) => client.get(keys.prices));
    return text === null ? undefined : (JSON.parse(text) as PriceTable);
  }

  /** Errors: those of an admission that ended. */
  async put(identity: Identity, prices: PriceTable): Promise<void> {
    const { keys } = this.context;
    const credential = credentialOf(identity, keys);
    const args = { ...admissionRecheckArgs(identity), table: JSON.stringify(prices) };
    const reply = await runScript(this.context, PUT_PRICES, { credential }, args);
    if (reply[0] !== 'stored') throw refusalError(reply);
  }
}
