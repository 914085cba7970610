import type { Page, PagePosition } from '../../kernel/api/paging.ts'

/** The newest of two lists that each answered the page of the same request. */
export function newestOf<Item>(
  pages: readonly Page<Item>[],
  limit: number,
  positionOf: (item: Item) => PagePosition,
): Page<Item> {
  const all = pages
    .flatMap(({ items }) => items.map((item) => ({ item, position: positionOf(item) })))
    .toSorted((a, b) => b.position.at - a.position.at || (a.position.id < b.position.id ? 1 : -1))
  const kept = all.slice(0, limit)
  const hasMore = all.length > limit || pages.some(({ next }) => next !== null)
  return { items: kept.map(({ item }) => item), next: hasMore ? (kept.at(-1)?.position ?? null) : null }
}
