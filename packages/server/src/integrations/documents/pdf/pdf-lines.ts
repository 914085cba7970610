/** Fragments on one line of a page, in reading order. */
export interface PdfLine {
  readonly fragments: readonly Fragment[]
  readonly text: string
  readonly left: number
  readonly right: number
  readonly baseline: number
  readonly size: number
  readonly isBold: boolean
}

const SAME_LINE_RATIO = 0.4
/** A column of text contains at least this share of the page's text. */
const MIN_COLUMN_RATIO = 0.25
const MIN_COLUMN_LINES = 6
/** Minimum average line length of a column. Shorter lines are table cells. */
const MIN_MEAN_LINE_LENGTH = 22

/** Returns the lines of a page from top to bottom. If the page has two text columns, the left column comes first. */
export function toLines(page: PdfPage): PdfLine[] {
  const gutter = findGutter(page)
  if (gutter === null) return groupLines(page.fragments)
  const lines: PdfLine[] = []
  let left: Fragment[] = []
  let right: Fragment[] = []
  const flushColumns = (): void => {
    lines.push(...groupLines(left), ...groupLines(right))
    left = []
    right = []
  }
  for (const fragment of [...page.fragments].sort((a, b) => a.baseline - b.baseline)) {
    if (fragment.right <= gutter) left.push(fragment)
    else if (fragment.left >= gutter) right.push(fragment)
    else {
      flushColumns()
      lines.push(...groupLines([fragment]))
    }
  }
  flushColumns()
  return lines
}

function groupLines(fragments: readonly Fragment[]): PdfLine[] {
  const groups: Fragment[][] = []
  for (const fragment of [...fragments].sort((a, b) => a.baseline - b.baseline)) {
    const [firstFragment] = groups.at(-1) ?? []
    const isSameLine =
      firstFragment !== undefined &&
      fragment.baseline - firstFragment.baseline <= Math.max(firstFragment.size, fragment.size) * SAME_LINE_RATIO
    if (isSameLine) groups.at(-1)?.push(fragment)
    else groups.push([fragment])
  }
  return groups.map(toLine)
}

function toLine(lineFragments: readonly Fragment[]): PdfLine {
  const isRightToLeft = lineFragments.filter((fragment) => fragment.isRightToLeft).length * 2 > lineFragments.length
  const fragments = [...lineFragments].sort((a, b) => (isRightToLeft ? b.right - a.right : a.left - b.left))
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
 * Finds the gap between two text columns. Few fragments cross it, both columns have long lines, and the left one is drawn first.
 */
function findGutter({ width, fragments }: PdfPage): number | null {
  if (fragments.length < MIN_COLUMN_LINES * 2) return null
  for (let ratio = 0.4; ratio <= 0.6; ratio += 0.02) {
    const gutter = width * ratio
    const left = fragments.filter((fragment) => fragment.right <= gutter)
    const right = fragments.filter((fragment) => fragment.left >= gutter)
    const crossingCount = fragments.length - left.length - right.length
    if (crossingCount > fragments.length * 0.2 || !isColumn(left, fragments) || !isColumn(right, fragments)) continue
    const firstRightIndex = fragments.findIndex((fragment) => fragment.left >= gutter)
    const leftFragmentsDrawnFirst = fragments.slice(0, firstRightIndex).filter((fragment) => fragment.right <= gutter)
    if (leftFragmentsDrawnFirst.length >= left.length * 0.8) return gutter
  }
  return null
}

function isColumn(columnFragments: readonly Fragment[], pageFragments: readonly Fragment[]): boolean {
  const characters = columnFragments.reduce((sum, { text }) => sum + text.length, 0)
  const allCharacters = pageFragments.reduce((sum, { text }) => sum + text.length, 0)
  const isLargeEnough = columnFragments.length >= MIN_COLUMN_LINES && characters >= allCharacters * MIN_COLUMN_RATIO
  return isLargeEnough && characters / columnFragments.length >= MIN_MEAN_LINE_LENGTH
}

/** Text on a page, positioned in points from the upper left corner. */
export interface Fragment {
  readonly text: string
  readonly left: number
  readonly right: number
  /** Vertical position of the baseline. */
  readonly baseline: number
  readonly size: number
  readonly isBold: boolean
  readonly isRightToLeft: boolean
}

/** A page with its fragments in drawing order. */
export interface PdfPage {
  /** Page number, starting at 1. */
  readonly number: number
  readonly width: number
  readonly height: number
  readonly fragments: readonly Fragment[]
}

/** A text item of the PDF library. */
export interface TextItem {
  readonly str: string
  readonly dir: string
  readonly width: number
  readonly transform: readonly number[]
  readonly fontName: string
}

/** Relative to the font size: `WORD_GAP` separates words, `CELL_GAP` separates cells. */
const WORD_GAP = 0.15
const CELL_GAP = 1.2
/** Relative to the font size: maximum vertical distance within a line. */
const MAX_BASELINE_OFFSET = 0.35
/** Smaller text is decoration. */
const MIN_FONT_SIZE = 2

type Matrix = readonly [number, number, number, number, number, number]

/** Joins adjacent text items into fragments. Skips vertical text. */
export function toFragments(
  items: readonly TextItem[],
  viewTransform: Matrix,
  isBold: (fontName: string) => boolean,
): Fragment[] {
  const fragments: Fragment[] = []
  for (const item of items) {
    if (item.str.trim() === '') continue
    const fragment = toFragment(item, viewTransform, isBold)
    if (fragment === null) continue
    const previous = fragments.at(-1)
    const joinedFragment = previous === undefined ? null : joinFragments(previous, fragment)
    if (joinedFragment === null) fragments.push(fragment)
    else fragments[fragments.length - 1] = joinedFragment
  }
  return fragments
}

function toFragment(item: TextItem, viewTransform: Matrix, isBold: (fontName: string) => boolean): Fragment | null {
  const [a, b, c, d, e, f] = multiplyMatrices(viewTransform, item.transform)
  const size = Math.hypot(c, d)
  if (Math.abs(b) > Math.abs(a) || size < MIN_FONT_SIZE || !Number.isFinite(e + f)) return null
  // Leading and trailing spaces count as gaps.
  const width = (item.width * Math.hypot(a, b)) / (Math.hypot(item.transform[0] ?? 0, item.transform[1] ?? 0) || 1)
  const text = item.str.trim()
  const characterWidth = width / item.str.length
  const left = e + (item.str.length - item.str.trimStart().length) * characterWidth
  return {
    text,
    left,
    right: left + text.length * characterWidth,
    baseline: f,
    size,
    isBold: isBold(item.fontName),
    isRightToLeft: item.dir === 'rtl',
  }
}

function multiplyMatrices(viewTransform: Matrix, textTransform: readonly number[]): Matrix {
  const [a, b, c, d, e, f] = viewTransform
  const [ta = 1, tb = 0, tc = 0, td = 1, te = 0, tf = 0] = textTransform
  return [a * ta + c * tb, b * ta + d * tb, a * tc + c * td, b * tc + d * td, a * te + c * tf + e, b * te + d * tf + f]
}

function joinFragments(previous: Fragment, next: Fragment): Fragment | null {
  const size = Math.max(previous.size, next.size)
  const isRightToLeft = previous.isRightToLeft && next.isRightToLeft
  const gap = isRightToLeft ? previous.left - next.right : next.left - previous.right
  // Superscripts and subscripts are smaller.
  const isSameLine = Math.abs(previous.baseline - next.baseline) <= size * MAX_BASELINE_OFFSET
  if (!isSameLine || gap > size * CELL_GAP || gap < -size * 0.5) return null
  const space =
    gap > size * WORD_GAP && !(isUnspacedScript(previous.text.at(-1)) && isUnspacedScript(next.text.at(0))) ? ' ' : ''
  return {
    text: `${previous.text}${space}${next.text}`,
    left: Math.min(previous.left, next.left),
    right: Math.max(previous.right, next.right),
    baseline: previous.size >= next.size ? previous.baseline : next.baseline,
    size,
    isBold: previous.isBold && next.isBold,
    isRightToLeft: previous.isRightToLeft || next.isRightToLeft,
  }
}

/** Whether the character belongs to a script that does not put spaces between words. */
function isUnspacedScript(character: string | undefined): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character ?? '')
}
