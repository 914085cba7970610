/** Splits a list into chunks of at most `size` items, for example to limit the values of one statement. */
export function splitIntoChunks<Item>(items: readonly Item[], size: number): Item[][] {
  const chunkCount = Math.ceil(items.length / size)
  return Array.from({ length: chunkCount }, (_, index) => items.slice(index * size, (index + 1) * size))
}
