import { z } from 'zod';
import { tagName } from './project/index.ts';

/** Arguments that several tools share, in name, type and wording. */

/** A project's key: an opaque string, never a path that is opened. */
export const projectRoot = z
  .string()
  .min(1)
  .max(1_024)
  .refine((key) => /^\P{Cs}*$/u.test(key), 'must not hold half characters')
  .default('default')
  .describe('The project: any string that names it, such as its directory; `default` when left out');

export const tag = tagName
  .optional()
  .describe("A tag of the project; by default the project's current one (`master` at first)");
