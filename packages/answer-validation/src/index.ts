/**
 * How an answer is held against the schema that was asked for, the same for Baton, which judges it, and for an agent,
 * which does not post what would be asked again. `validation-thread` is the thread that such a schema may block.
 */
export { AnswerValidator } from './answer-validator.ts';
