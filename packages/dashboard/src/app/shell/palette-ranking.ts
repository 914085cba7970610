export interface PaletteItem {
  readonly id: string
  readonly label: string
}

const normalize = (text: string): string => text.toLowerCase().trim()

/** Rates how well a name matches: 0 is best, null is no match. Matches the start of an ID. */
function rateMatch({ id, label }: PaletteItem, typed: string): number | null {
  const name = normalize(label)
  if (name.startsWith(typed)) return 0
  const words = name.split(/[^\p{L}\p{N}]+/u)
  const typedWords = typed.split(/\s+/)
  if (typedWords.every((part) => words.some((word) => word.startsWith(part)))) return 1
  if (typedWords.every((part) => name.includes(part))) return 2
  return typed.includes('_') && id.startsWith(typed) ? 3 : null
}

/**
 * Returns the items with a matching name, best first. Equal matches keep their order, and an empty search returns all items.
 */
export function rankItems<Item extends PaletteItem>(items: readonly Item[], typed: string): readonly Item[] {
  const text = normalize(typed)
  if (text === '') return items
  return items
    .flatMap((item) => {
      const score = rateMatch(item, text)
      return score === null ? [] : [{ item, score }]
    })
    .sort((one, other) => one.score - other.score)
    .map(({ item }) => item)
}
