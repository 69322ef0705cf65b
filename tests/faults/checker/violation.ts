/** One breach of an invariant, found by the checker. */
export interface Violation {
  readonly invariant: 'I1' | 'I2' | 'I3' | 'I4';
  readonly what: string;
}
