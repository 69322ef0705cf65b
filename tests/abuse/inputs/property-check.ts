import fc from 'fast-check';

/** The seed of this run; FC_SEED gives it back. */
export const FC_SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

console.log(`FC_SEED=${FC_SEED}`);

/** Inputs per tool; other properties take a share of this number. */
const RUNS = Number(process.env['FC_RUNS'] ?? 30);

/** Characters of a finding that are printed; an input may have a megabyte. */
const MAX_SHOWN_CHARACTERS = 3_000;

/** Time limit of one property, shrinking included. */
const PROPERTY_MS = 45_000;

/**
 * Runs `check` over generated inputs; it returns the faults of one input. Errors: with the smallest input that has
 * faults, the faults and the seed.
 */
export async function checkProperty<T>(
  what: string,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<readonly string[]>,
  share = 1,
): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => {
    const faults = await check(input);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
  const numRuns = Math.max(1, Math.ceil(RUNS * share));
  const result = await fc.check(property, { seed: FC_SEED, numRuns, interruptAfterTimeLimit: PROPERTY_MS });
  if (!result.failed) return;
  const [input] = result.counterexample ?? [];
  const error =
    result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  throw new Error(
    `${what}: ${error.slice(0, MAX_SHOWN_CHARACTERS)}\nFC_SEED=${FC_SEED} path ${result.counterexamplePath}, input ${fc.stringify(input).slice(0, MAX_SHOWN_CHARACTERS)}`,
  );
}
