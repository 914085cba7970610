import type { Fragment, PdfPage } from './pdf-fragments.ts'

/** Fragments on one line of a page, in the order of reading. */
export interface PdfLine {
  readonly fragments: readonly Fragment[]
  readonly text: string
  readonly left: number
  readonly right: number
  readonly baseline: number
  readonly size: number
  readonly isBold: boolean
}

const SAME_LINE = 0.4
/** A column of text is at least this share of the page's text and of its lines. */
const MIN_COLUMN_RATIO = 0.25
const MIN_COLUMN_LINES = 6
/** Characters in a line of a column on average: shorter ones are the cells of a table. */
const MIN_MEAN_LINE_LENGTH = 22

/** The lines of a page from top to bottom; where text is set in two columns, the left one first. */
export function toLines(page: PdfPage): PdfLine[] {
  const gutter = findGutter(page)
  if (gutter === null) return linesOf(page.fragments)
  const lines: PdfLine[] = []
  let left: Fragment[] = []
  let right: Fragment[] = []
  const endColumns = (): void => {
    lines.push(...linesOf(left), ...linesOf(right))
    left = []
    right = []
  }
  for (const fragment of [...page.fragments].sort((one, other) => one.baseline - other.baseline)) {
    if (fragment.right <= gutter) left.push(fragment)
    else if (fragment.left >= gutter) right.push(fragment)
    else {
      endColumns()
      lines.push(...linesOf([fragment]))
    }
  }
  endColumns()
  return lines
}

function linesOf(fragments: readonly Fragment[]): PdfLine[] {
  const groups: Fragment[][] = []
  for (const fragment of [...fragments].sort((one, other) => one.baseline - other.baseline)) {
    const [first] = groups.at(-1) ?? []
    const isSame =
      first !== undefined && fragment.baseline - first.baseline <= Math.max(first.size, fragment.size) * SAME_LINE
    if (isSame) groups.at(-1)?.push(fragment)
    else groups.push([fragment])
  }
  return groups.map(toLine)
}

function toLine(group: readonly Fragment[]): PdfLine {
  const isRightToLeft = group.filter((fragment) => fragment.isRightToLeft).length * 2 > group.length
  const fragments = [...group].sort((one, other) => (isRightToLeft ? other.right - one.right : one.left - other.left))
  return {
    fragments,
    text: fragments.map(({ text }) => text).join(' '),
    left: Math.min(...fragments.map(({ left }) => left)),
    right: Math.max(...fragments.map(({ right }) => right)),
    baseline: Math.max(...fragments.map(({ baseline }) => baseline)),
    size: Math.max(...fragments.map(({ size }) => size)),
    isBold: fragments.every(({ isBold }) => isBold),
  }
}

/**
 * Where the space between two columns of text lies: nearly nothing crosses it, both sides are full of long lines, and what is
 * left of it was drawn first.
 */
function findGutter({ width, fragments }: PdfPage): number | null {
  if (fragments.length < MIN_COLUMN_LINES * 2) return null
  for (let share = 0.4; share <= 0.6; share += 0.02) {
    const at = width * share
    const left = fragments.filter((fragment) => fragment.right <= at)
    const right = fragments.filter((fragment) => fragment.left >= at)
    const conflictingUnits = fragments.length - left.length - right.length
    if (conflictingUnits > fragments.length * 0.2 || !isColumn(left, fragments) || !isColumn(right, fragments)) continue
    const firstOfRight = fragments.findIndex((fragment) => fragment.left >= at)
    const before = fragments.slice(0, firstOfRight).filter((fragment) => fragment.right <= at)
    if (before.length >= left.length * 0.8) return at
  }
  return null
}

function isColumn(side: readonly Fragment[], all: readonly Fragment[]): boolean {
  const characters = side.reduce((sum, { text }) => sum + text.length, 0)
  const allCharacters = all.reduce((sum, { text }) => sum + text.length, 0)
  const isFull = side.length >= MIN_COLUMN_LINES && characters >= allCharacters * MIN_COLUMN_RATIO
  return isFull && characters / side.length >= MIN_MEAN_LINE_LENGTH
}
