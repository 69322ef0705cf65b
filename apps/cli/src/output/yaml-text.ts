import { isRecord } from '@baton/protocol';
import { stringify } from 'yaml';

/** Base64 of so many characters is shown as it is. */
const SHOWN = 64;

/** A value for people, as YAML; the bytes of pictures, sounds and files only with `--json`. */
export function yamlText(value: unknown): string {
  return stringify(value, function (this: unknown, name: unknown, held: unknown) {
    const areBytes = (name === 'data' || name === 'blob') && isRecord(this) && 'mimeType' in this;
    if (!areBytes || typeof held !== 'string' || held.length <= SHOWN) return held;
    return `(${held.length} characters of base64: --json)`;
  }).trimEnd();
}
