/** What a change does to a stored project's fields, as JSON texts; `copy` gives `to` the value that `from` had before. */
export interface ChangedFields {
  readonly set: [field: string, value: string][];
  readonly copy: [from: string, to: string][];
  readonly delete: string[];
}
