/**
 * Items in batches of at most `most`, each of at most `length` characters as JSON unless one item alone is longer: what
 * one request can hold and one answer can return.
 */
export function splitIntoBatches<T>(items: readonly T[], most: number, length: number): T[][] {
  const batches: T[][] = [];
  let left = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= most || size > left) {
      batches.push([item]);
      left = length - size;
    } else {
      batch.push(item);
      left -= size;
    }
  }
  return batches;
}
