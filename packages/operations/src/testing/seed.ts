/** The seed of this run's random tests, printed so that a failure can be met again: `FC_SEED=<seed> npx vitest run`. */
export const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
console.info(`FC_SEED=${seed}`);
