import type { Dependency } from '../model/task-id.ts';

/**
 * The dependencies that an answer gives, put upon what stands by now: what it adds to those that it was shown is added, what it leaves
 * out of them goes, and what others added or took out meanwhile stays so. Without `shown` those that it gives.
 */
export function rebaseDependencies(
  now: readonly Dependency[],
  given: readonly Dependency[],
  shown: readonly Dependency[] | undefined,
): readonly Dependency[] {
  if (shown === undefined || sameAs(now, shown)) return given;
  const [was, wanted, there] = [shown, given, now].map((list) => new Set(list.map(String)));
  const stays = now.filter((one) => wanted?.has(String(one)) || !was?.has(String(one)));
  const added = given.filter((one) => !was?.has(String(one)) && !there?.has(String(one)));
  return [...stays, ...added];
}

function sameAs(now: readonly Dependency[], shown: readonly Dependency[]): boolean {
  return now.length === shown.length && now.every((one, at) => String(one) === String(shown[at]));
}
