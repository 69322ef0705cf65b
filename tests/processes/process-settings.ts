export const OPERATOR_TOKEN = 'operator-token-of-the-faults';
export const SECRET = 'a secret of the faults';

/** Limits that no test reaches. */
export const UNLIMITED = {
  requestsPerSecond: 1_000_000,
  burst: 1_000_000,
  pendingInteractions: 1_000_000,
  openTasks: 1_000_000,
  storedBytes: 64 * 2 ** 30,
  retainedTasks: 1_000_000,
};

/** The environment of every process, without REDIS_URL. */
export const PROCESS_ENVIRONMENT = {
  BATON_SECRET: SECRET,
  BATON_OPERATOR_TOKEN: OPERATOR_TOKEN,
  BATON_TEST_OPERATIONS: 'true',
  BATON_UNREADY_MS: '0',
  BATON_DRAIN_MS: '2000',
  HOST: '127.0.0.1',
  PORT: '0',
};
