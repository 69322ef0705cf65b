import type { RawReply } from './raw-http.ts';

/** Finds keys, tokens and their secret parts in replies, which must never contain any. */
export class SecretDetector {
  private readonly known = new Set<string>();

  add(...texts: readonly string[]): void {
    for (const text of texts) {
      this.known.add(text);
      // A key is bt_<tenant>_<id>_<secret and checksum>: its last part alone is a leak too.
      const [, secret] = /^bt_[a-z0-9-]+_[^_]+_(\S{16,})$/.exec(text) ?? [];
      if (secret !== undefined) this.known.add(secret);
    }
  }

  /** The secrets in a reply, shortened. */
  findLeaks({ text, headers }: RawReply): string[] {
    const all = [text, ...headers.values()].join('\n');
    return [...this.known]
      .filter((secret) => all.includes(secret))
      .map((secret) => `${secret.slice(0, 12)}...`);
  }
}

export function createSecretDetector(texts: readonly string[]): SecretDetector {
  const secrets = new SecretDetector();
  secrets.add(...texts);
  return secrets;
}
