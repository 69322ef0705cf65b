import { z } from 'zod';

/** A query parameter that may be left out; an empty one, as forms send it, counts as left out. */
export const optionalParam = <T extends z.ZodType>(inner: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), inner.optional()).optional();
