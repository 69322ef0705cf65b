import type { Operation } from '../definition/operation.ts';
import { indexByName } from '../tool-operations/tool-operations.ts';
import { askingFixtures } from './asking-fixtures.ts';
import { contentFixtures } from './content-fixtures.ts';
import { waitingFixtures } from './waiting-fixtures.ts';

/** The tools that the official conformance suite calls (@modelcontextprotocol/conformance), for deployments that it is run against. */
export const conformanceOperations: ReadonlyMap<string, Operation> = indexByName<Operation>(
  ...(contentFixtures as readonly Operation[]),
  ...(waitingFixtures as unknown as readonly Operation[]),
  ...(askingFixtures as unknown as readonly Operation[]),
);
