export interface PaletteItem {
  readonly id: string
  readonly label: string
}

const normalize = (text: string): string => text.toLowerCase().trim()

/** Scores a match: 0 is best, null is no match. IDs match by their prefix. */
function scoreMatch({ id, label }: PaletteItem, query: string): number | null {
  const name = normalize(label)
  if (name.startsWith(query)) return 0
  const words = name.split(/[^\p{L}\p{N}]+/u)
  const queryWords = query.split(/\s+/)
  if (queryWords.every((queryWord) => words.some((word) => word.startsWith(queryWord)))) return 1
  if (queryWords.every((queryWord) => name.includes(queryWord))) return 2
  return query.includes('_') && id.startsWith(query) ? 3 : null
}

/**
 * Returns the items with a matching name, best first. Equal matches keep their order, and an empty search returns all items.
 */
export function rankItems<Item extends PaletteItem>(items: readonly Item[], query: string): readonly Item[] {
  const normalizedQuery = normalize(query)
  if (normalizedQuery === '') return items
  return items
    .flatMap((item) => {
      const score = scoreMatch(item, normalizedQuery)
      return score === null ? [] : [{ item, score }]
    })
    .sort((a, b) => a.score - b.score)
    .map(({ item }) => item)
}
