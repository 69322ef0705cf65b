/** The seed of this run's random tests, of every package; printed, so that `FC_SEED=<seed> npx vitest run` repeats a failure. */
export const randomSeed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
console.info(`FC_SEED=${randomSeed}`);
