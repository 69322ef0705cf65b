/** A part of an answer in which tags do not count: what is in it, and what closes it. */
export interface OpaqueSpan {
  readonly from: number;
  readonly to: number;
  /** Of a CDATA section: the text in it, which stands for the whole. */
  readonly text?: string;
}

const COMMENT = ['<!--', '-->'] as const;
const CDATA = ['<![CDATA[', ']]>'] as const;
const THOUGHTS = ['think', 'thinking'].map((name) => [`<${name}>`, `</${name}>`] as const);

/**
 * Comments, CDATA sections and a model's thoughts, in their order; one that is never closed is text. `names` are tags of the answer: what
 * is called so is no thought. Linear in the text: each closing is looked for once from each place that is left behind.
 */
export function findOpaqueSpans(text: string, names: readonly string[]): readonly OpaqueSpan[] {
  let kinds = [COMMENT, CDATA, ...THOUGHTS.filter(([open]) => !names.includes(open.slice(1, -1)))];
  const spans: OpaqueSpan[] = [];
  const nextAt = new Map(kinds.map((kind) => [kind, text.indexOf(kind[0])]));
  for (let at = 0; ; ) {
    for (const kind of kinds) {
      const next = nextAt.get(kind) ?? -1;
      if (next >= 0 && next < at) nextAt.set(kind, text.indexOf(kind[0], at));
    }
    kinds = kinds.filter((kind) => (nextAt.get(kind) ?? -1) >= 0);
    const [first] = kinds.toSorted((a, b) => (nextAt.get(a) ?? 0) - (nextAt.get(b) ?? 0));
    if (first === undefined) return spans;
    const from = nextAt.get(first) ?? 0;
    const inner = from + first[0].length;
    const end = text.indexOf(first[1], inner);
    if (end < 0) {
      kinds = kinds.filter((kind) => kind !== first);
      continue;
    }
    at = end + first[1].length;
    spans.push(first === CDATA ? { from, to: at, text: text.slice(inner, end) } : { from, to: at });
  }
}
