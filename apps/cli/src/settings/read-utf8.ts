import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** The text of a file. Bytes of another encoding would be read as other characters. @throws Error whose message goes on after the file's name. */
export function readUtf8(file: string | number): string {
  const bytes = readFileSync(file);
  // Windows writes a mark before the text, which is no part of it.
  if (isUtf8(bytes)) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  throw new Error('is not UTF-8. Save it as UTF-8, or convert it: iconv -f <its encoding> -t UTF-8');
}
