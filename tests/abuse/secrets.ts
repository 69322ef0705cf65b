import type { Reply } from './wire.ts';

/** What no response may ever hold, whatever was sent: keys and tokens, or the secret part of them. */
export class Secrets {
  private readonly known = new Set<string>();

  add(...texts: readonly string[]): void {
    for (const text of texts) {
      this.known.add(text);
      // A key is bt_<tenant>_<id>_<secret and checksum>: its last part alone would be as bad.
      const [, secret] = /^bt_[a-z0-9-]+_[^_]+_(\S{16,})$/.exec(text) ?? [];
      if (secret !== undefined) this.known.add(secret);
    }
  }

  /** The secrets that a reply tells, shortened. */
  toldBy({ text, headers }: Reply): string[] {
    const all = [text, ...headers.values()].join('\n');
    return [...this.known]
      .filter((secret) => all.includes(secret))
      .map((secret) => `${secret.slice(0, 12)}...`);
  }
}

export function secretsOf(texts: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(...texts);
  return secrets;
}
