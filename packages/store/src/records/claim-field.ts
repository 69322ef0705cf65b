/** Who claims an interaction: its principal, and the name that it gives itself, such as one of two agents with one key. */
export interface Claimer {
  readonly principal: string;
  readonly holder?: string;
}

/** The latest claim on an interaction, whether it lasts or not. `at`: when it was made, in milliseconds by Redis's clock. */
export interface Claim {
  readonly at: number;
  readonly by: Claimer;
}

/** Reads a task's field `last_claim`: `<at>;<principal> <holder>`, in which a principal has no spaces. */
export function parseClaimField(stored: string): Claim {
  const [, at = '', principal = '', holder = ''] = /^(\d+);(\S*) ?(.*)$/su.exec(stored) ?? [];
  return { at: Number(at), by: { principal, ...(holder && { holder }) } };
}
