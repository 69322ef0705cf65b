/**
 * Wire shapes and records: what Baton says and stores, independent of MCP's revisions, without I/O. Imports zod,
 * secure-json-parse and fastest-levenshtein only.
 * `errors` is the one table of codes; the files of `delegation` are a delegated call: `delegation` and `answer` are its two halves, and
 * `answer-correction` asks again; `content-block` is what it brings beside words; `message` is a dialog's and `tool-calls` reads those of an answer; `ids`, `api-key`, `tenant-creation-input`, `limits` and `task-and-interaction-status` are the records' parts;
 * `sampling` is a delegated call as MCP's `sampling/createMessage`, `elicitation` a question to a person as `elicitation/create` or `roots/list`;
 * `problems` says what a schema refuses, `definition-problems` refuses what a tenant defines, `find-path` finds the cycles in it; `usage` reads what an answer used, `price-table` what that costs;
 * `json` (with the one parser of text from outside), `delegation/model-parameters` and `text/truncate` bound what comes in, and
 * `text/token-estimate` what goes out; `text/text-up-to-last` takes away what ends a text; `zod-messages` words what schemas find missing; `text/nearest-name` and `text/root-cause` say what a mistyped name means and why a connection failed, `text/yaml-fault` what is wrong with a text of YAML.
 */
import './zod-messages.ts';
export * from './delegation/answer.ts';
export * from './delegation/answer-correction.ts';
export * from './api-key.ts';
export * from './definition-problems.ts';
export { type FieldProblem, problemsIn } from './problems/schema-problems.ts';
export * from './tenant-creation-input.ts';
export * from './delegation/block-text.ts';
export * from './delegation/content-block.ts';
export * from './delegation/delegation.ts';
export * from './elicitation/elicit-request.ts';
export * from './elicitation/elicit-result.ts';
export * from './elicitation/roots-result.ts';
export * from './errors.ts';
export * from './find-path.ts';
export * from './ids.ts';
export * from './delegation/json-instruction.ts';
export * from './json/json.ts';
export { toJsonSchema } from './json/json-schema.ts';
export * from './json/json-text.ts';
export { RESERVED_NAMES } from './json/reserved-names.ts';
export * from './limits.ts';
export * from './delegation/message.ts';
export * from './text/mask-url-passwords.ts';
export * from './text/nearest-name.ts';
export * from './text/root-cause.ts';
export { tokenLimitOf, withTokenLimit } from './delegation/model-parameters.ts';
export * from './delegation/model-roles.ts';
export * from './price-table.ts';
export * from './sampling/sampling-request.ts';
export * from './sampling/sampling-result.ts';
export * from './task-and-interaction-status.ts';
export * from './delegation/tool-calls.ts';
export { estimateTokens, truncateToTokens } from './text/token-estimate.ts';
export * from './text/text-up-to-last.ts';
export * from './text/truncate.ts';
export { describeYamlFault } from './text/yaml-fault.ts';
export * from './usage.ts';
export * from './version.ts';
