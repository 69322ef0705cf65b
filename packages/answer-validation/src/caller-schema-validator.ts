import { hash } from 'node:crypto';
import {
  BatonError,
  type AnswerSchema,
  type Validation,
  isRecord,
  type Json,
  type JsonObject,
  extractObject,
} from '@baton/protocol';
import { CheckTurns } from './check-turns.ts';
import { fitsPlainSchema } from './plain-schema.ts';
import { type CheckResult, type SchemaCheck, ValidationThreads } from './validation-threads.ts';

/** Longer than a check runs: whoever is next when a long one begins has its turn in time. */
const DEFAULT_MAX_WAIT_MS = 1_500;

/**
 * Validates values against callers' JSON Schemas. Such a schema may be crafted to be slow: it is checked in a thread, for
 * a limited time, and tenants have turns, so that it delays its own tenant only. What fits a plain and small schema needs no thread.
 */
export class CallerSchemaValidator {
  private readonly turns: CheckTurns;
  private threads: ValidationThreads | undefined;

  /** A check that has no turn in time is refused: within `maxWaitMs`, or six times as long where its tenant has used little. */
  constructor({ maxWaitMs }: { maxWaitMs: number } = { maxWaitMs: DEFAULT_MAX_WAIT_MS }) {
    this.turns = new CheckTurns(maxWaitMs);
  }

  /**
   * Reads an answer's data by the contract's order, against a caller's schema.
   * Errors: `schema_unusable`, when the schema is at fault and no answer could ever fit; `limit_checks`, when the tenant's
   * turn does not come in time.
   */
  async validateAnswer(tenant: string, schema: JsonObject, data: Json): Promise<Validation<Json>> {
    const readings = readingsOf(data, schema);
    const [first] = readings;
    if (first !== undefined && fitsPlainSchema(schema, first)) return { ok: true, value: first };
    const problems = await this.check(tenant, schema, () => readings);
    if (typeof problems === 'string')
      throw new BatonError(
        'schema_unusable',
        `No answer can be checked: ${unusable(problems)}. Start the call again with another schema.`,
      );
    // The readings are asked for in the same order, up to the first that fits.
    let asked = 0;
    return extractObject<Json>(data, {
      ...shapeOf(schema),
      check(value) {
        const problem = problems[asked++];
        if (problem === null) return { ok: true, value: value as Json };
        return { ok: false, problem: problem ?? 'it was not checked' };
      },
    });
  }

  /** Checks one value as it is against a schema of a tenant's. Errors: as for `validateAnswer`. */
  async validateValue(tenant: string, schema: JsonObject, value: Json): Promise<Validation<Json>> {
    if (fitsPlainSchema(schema, value)) return { ok: true, value };
    const problems = await this.check(tenant, schema, () => [value]);
    if (typeof problems === 'string')
      throw new BatonError('schema_unusable', `Nothing can be checked: ${unusable(problems)}.`);
    const [problem] = problems;
    return problem === null ? { ok: true, value } : { ok: false, problem: problem ?? 'it was not checked' };
  }

  /** Refuses a schema that cannot be compiled in time. Errors: `invalid_arguments` naming `field`; `limit_checks`. */
  async requireUsableSchema(tenant: string, schema: JsonObject, field: string): Promise<void> {
    const problems = await this.check(tenant, schema, () => []);
    if (typeof problems !== 'string') return;
    throw new BatonError('invalid_arguments', `${field}: ${unusable(problems)}`, { field });
  }

  async close(): Promise<void> {
    await this.threads?.close();
  }

  /** What is checked is written as text when its turn has come: a refusal costs nothing. */
  private async check(
    tenant: string,
    schema: JsonObject,
    readings: () => readonly Json[],
  ): Promise<CheckResult> {
    let check: SchemaCheck | undefined;
    for (;;) {
      const turn = await this.turns.enter(tenant);
      check ??= writeCheck(tenant, schema, readings());
      // Most processes never meet a caller's schema.
      this.threads ??= new ValidationThreads();
      const result = await this.threads.run(check, turn);
      if (result !== undefined) return result;
    }
  }
}

function writeCheck(tenant: string, schema: JsonObject, values: readonly Json[]): SchemaCheck {
  const text = JSON.stringify(schema);
  const digest = hash('sha256', text, 'base64url');
  return { tenant, digest, schema: text, values: values.map((value) => JSON.stringify(value)) };
}

const unusable = (problem: string) => `the schema cannot be used: ${problem.slice(0, 500)}`;

/** Every reading of an answer's data that the contract knows, in its order. */
function readingsOf(data: Json, schema: JsonObject): Json[] {
  const found: Json[] = [];
  extractObject(data, {
    ...shapeOf(schema),
    check(value: unknown): Validation<never> {
      found.push(value as Json);
      return { ok: false, problem: '' };
    },
  });
  return found;
}

function shapeOf({ type, properties }: JsonObject): Pick<AnswerSchema<Json>, 'hasField' | 'takesText'> {
  return {
    hasField: (name) => isRecord(properties) && Object.hasOwn(properties, name),
    takesText: type !== 'object',
  };
}
