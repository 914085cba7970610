import type { PiiCategory } from '@parley/contract/after-conversation'

/** A part of a text that is personal: from `start` up to, but without, `end`. */
export interface PersonalRange {
  readonly start: number
  readonly end: number
  readonly category: PiiCategory
}

/** What stands in the place of personal data. */
export function placeholderOf(category: PiiCategory): string {
  return `[${category}]`
}

/** Puts placeholders into a text. Ranges that overlap become one, under the category that comes first in `ranges`. */
export function replaceRanges(text: string, ranges: readonly PersonalRange[]): string {
  if (ranges.length === 0) return text
  let replaced = ''
  let position = 0
  for (const { start, end, category } of mergeRanges(ranges)) {
    replaced += text.slice(position, start) + placeholderOf(category)
    position = end
  }
  return replaced + text.slice(position)
}

/** The ranges in order; those that overlap become one, under the category that comes first in `ranges`. */
export function mergeRanges(ranges: readonly PersonalRange[]): PersonalRange[] {
  const ranked = ranges.map((range, rank) => ({ ...range, rank })).sort((a, b) => a.start - b.start || a.rank - b.rank)
  const merged: (PersonalRange & { rank: number })[] = []
  for (const range of ranked) {
    const last = merged.at(-1)
    if (last === undefined || range.start >= last.end) merged.push(range)
    else {
      const first = range.rank < last.rank ? range : last
      merged[merged.length - 1] = { ...first, start: last.start, end: Math.max(last.end, range.end) }
    }
  }
  return merged
}

/** All matches of a global expression; with a group, only that group, which has to end the match. */
export function rangesOf(text: string, pattern: RegExp, category: PiiCategory): PersonalRange[] {
  return [...text.matchAll(pattern)].map((match) => {
    const end = match.index + match[0].length
    return { start: end - (match[1] ?? match[0]).length, end, category }
  })
}
