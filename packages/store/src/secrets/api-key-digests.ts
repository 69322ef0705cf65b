import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { secretId, type Secrets } from './secrets-in-use.ts';

/** The digests of recent keys, since the same keys call again and again. Whether a key is valid is never cached. */
const MAX_CACHED = 1_000;

/** What the record of a key holds of its text, and by which secret. */
interface StoredDigest {
  readonly digest: string;
  readonly secret: string;
}

/**
 * The stored form of API keys: the HMAC-SHA256 with the deployment's secret, so that a copy of Redis admits nobody. While the secret is
 * being changed there are several: the first hashes, and a record that one of the others has hashed is good too.
 */
export class ApiKeyDigests {
  /** Names the first secret in the records that it has hashed, without giving it away. */
  readonly secretId: string;
  private readonly secrets: Secrets;
  private readonly cache = new LRUCache<string, string>({ max: MAX_CACHED });

  /** The current secret, and those before it. */
  constructor(secrets: Secrets) {
    this.secrets = secrets;
    this.secretId = secretId(secrets[0]);
  }

  /** What is stored of a new key. */
  stored(key: string): StoredDigest {
    return { digest: hmac(key, this.secrets[0]), secret: this.secretId };
  }

  /** What a script compares with the record of a key that calls, in the form that `include/credential.lua` reads. */
  presented(key: string): string {
    let text = this.cache.get(key);
    if (text === undefined) {
      const [current, ...previous] = this.secrets.map((secret) => hmac(key, secret));
      text = previous.length === 0 ? `${current}` : [current, this.secretId, ...previous].join(' ');
      this.cache.set(key, text);
    }
    return text;
  }
}

function hmac(key: string, secret: string): string {
  return createHmac('sha256', secret).update(key).digest('base64url');
}
