import { RestError } from './rest-client.ts';

/** Whether what is read exists. Errors: what the reading fails with otherwise. */
export async function exists(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch (error) {
    if (error instanceof RestError && error.status === 404) return false;
    throw error;
  }
}
