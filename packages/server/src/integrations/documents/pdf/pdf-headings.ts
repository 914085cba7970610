import type { PdfLine } from './pdf-lines.ts'

/** Says of a line whether it is a heading, and of which level. */
export type HeadingLevels = (line: PdfLine) => number | null

/** Of the size of the text: letters this much larger make a heading. */
const HEADING_SIZE_RATIO = 1.12
const MAX_HEADING_CHARACTERS = 160
const MAX_LEVELS = 6

/** Finds out how the headings of a document look: larger than its text, each size one level; bold lines of its size below. */
export function findHeadingLevels(lines: readonly PdfLine[]): HeadingLevels {
  const textSize = mostFrequentSize(lines)
  const bold = characters(lines.filter((line) => line.isBold))
  // Bold tells nothing where everything is.
  const isBoldDistinctive = bold * 2 < characters(lines)
  const sizes = [...new Set(lines.filter((line) => isLarger(line, textSize) && isPlausible(line)).map(roundedSize))]
  const levels = sizes.sort((one, other) => other - one).slice(0, MAX_LEVELS)
  return (line) => {
    if (!isPlausible(line)) return null
    if (isLarger(line, textSize)) return levelOf(levels, roundedSize(line))
    const isLabel = isBoldDistinctive && line.isBold && line.size >= textSize * 0.95 && !/[.;,]$/.test(line.text)
    return isLabel ? levels.length + 1 : null
  }
}

function levelOf(levels: readonly number[], size: number): number {
  const index = levels.indexOf(size)
  return index === -1 ? levels.length + 1 : index + 1
}

function isLarger(line: PdfLine, textSize: number): boolean {
  return line.size >= textSize * HEADING_SIZE_RATIO
}

function isPlausible({ text, fragments }: PdfLine): boolean {
  return fragments.length <= 2 && text.length <= MAX_HEADING_CHARACTERS && /\p{L}{2}|\p{Script=Han}/u.test(text)
}

function roundedSize({ size }: PdfLine): number {
  return Math.round(size * 2) / 2
}

function characters(lines: readonly PdfLine[]): number {
  return lines.reduce((sum, { text }) => sum + text.length, 0)
}

function mostFrequentSize(lines: readonly PdfLine[]): number {
  const bySize = new Map<number, number>()
  for (const line of lines) bySize.set(roundedSize(line), (bySize.get(roundedSize(line)) ?? 0) + line.text.length)
  return [...bySize].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 10
}
