import type { Page, PageRequest } from '../../kernel/api/paging.ts'

/** Graphs are large: no more than this many are in memory at once. */
const BATCH_SIZE = 50

/** Reads a page part by part and keeps only what its items tell. */
export async function listInBatches<Row, Item>(
  { limit, after: start }: PageRequest,
  list: (page: PageRequest) => Promise<Page<Row>>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const items: Item[] = []
  let after = start
  for (;;) {
    const part = await list({ limit: Math.min(BATCH_SIZE, limit - items.length), after })
    items.push(...part.items.map(toItem))
    if (part.next === null || items.length >= limit) return { items, next: part.next }
    after = part.next
  }
}
