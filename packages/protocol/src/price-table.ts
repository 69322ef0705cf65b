import { z } from 'zod';

/** Prices are per so many tokens. */
const TOKENS_PER_PRICE = 1_000_000;

const MAX_MODELS = 200;
const MAX_PRICE = 1_000_000;

const price = z
  .number()
  .min(0)
  .max(MAX_PRICE)
  .describe(`Per million tokens, from 0 to ${MAX_PRICE.toLocaleString('en')}`);

/** What models cost a tenant, in one currency. Names of models are those that answers give, shortened to 64 characters. */
export const priceTableSchema = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters, as ISO 4217 has them')
    .describe('The currency of all prices, as ISO 4217 names it'),
  models: z
    .record(z.string().min(1).max(64), z.strictObject({ input: price, output: price }))
    .refine((models) => Object.keys(models).length <= MAX_MODELS, `must have at most ${MAX_MODELS} models`)
    .describe('Prices of tokens in and out, by the name of the model'),
});
export type PriceTable = z.infer<typeof priceTableSchema>;

/** What tokens cost, in the currency of the table; undefined for a model without a price. */
export function costOf(
  { models }: PriceTable,
  model: string,
  used: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined {
  const found = Object.hasOwn(models, model) ? models[model] : undefined;
  if (found === undefined) return undefined;
  return (used.inputTokens * found.input + used.outputTokens * found.output) / TOKENS_PER_PRICE;
}
