/**
 * Validates an answer against the schema of its request: in Baton before it is accepted, and in the agent before it is
 * posted. `validation-thread` is the thread that such a schema may block.
 */
export { CallerSchemaValidator } from './caller-schema-validator.ts';
