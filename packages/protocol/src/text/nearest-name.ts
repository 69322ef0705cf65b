import { distance } from 'fastest-levenshtein';

/** What is compared at most, since a caller chooses the name: the work is below a millisecond. */
const MAX_NAME_LENGTH = 64;
const MAX_KNOWN_NAMES = 500;
/** A name that is the beginning of a known one means that one from this length on. */
const MIN_PREFIX_LENGTH = 4;

/**
 * The known name that a mistyped one most likely means: the one with the smallest edit distance, of a third of its letters at most, where case and
 * the marks between words count for nothing. Undefined where none is that near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const wanted = lettersOf(name);
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  let compared = 0;
  for (const candidate of known) {
    if (++compared > MAX_KNOWN_NAMES) break;
    const letters = lettersOf(candidate.slice(0, MAX_NAME_LENGTH));
    const apart = distance(wanted, letters);
    const most = Math.floor(Math.max(wanted.length, letters.length) / 3);
    const begins = wanted.length >= MIN_PREFIX_LENGTH && letters.startsWith(wanted);
    if ((apart <= most || begins) && (nearest === undefined || apart < nearest.distance))
      nearest = { name: candidate, distance: apart };
  }
  return nearest?.name;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
