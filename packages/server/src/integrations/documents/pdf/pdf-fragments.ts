/** A piece of text on a page, in points from its upper left corner. */
export interface Fragment {
  readonly text: string
  readonly left: number
  readonly right: number
  /** Of the line that the letters stand on. */
  readonly baseline: number
  readonly size: number
  readonly isBold: boolean
  readonly isRightToLeft: boolean
}

/** A page as its fragments, in the order in which they were drawn. */
export interface PdfPage {
  /** From 1. */
  readonly number: number
  readonly width: number
  readonly height: number
  readonly fragments: readonly Fragment[]
}

/** What the library tells of a text. */
export interface TextItem {
  readonly str: string
  readonly dir: string
  readonly width: number
  readonly transform: readonly number[]
  readonly fontName: string
}

/** Of the size of the letters: a smaller gap is none, a wider one separates cells. */
const WORD_GAP = 0.15
const CELL_GAP = 1.2
/** Of the size: letters further apart do not stand on one line. */
const SAME_LINE = 0.35
/** Smaller letters are decoration. */
const MIN_FONT_SIZE = 2

type Matrix = readonly [number, number, number, number, number, number]

/** Joins the texts of a page, as they were drawn, to fragments without wide gaps. Text that stands on end is left out. */
export function toFragments(
  items: readonly TextItem[],
  view: Matrix,
  isBold: (fontName: string) => boolean,
): Fragment[] {
  const fragments: Fragment[] = []
  for (const item of items) {
    if (item.str.trim() === '') continue
    const next = place(item, view, isBold)
    if (next === null) continue
    const last = fragments.at(-1)
    const joined = last === undefined ? null : join(last, next)
    if (joined === null) fragments.push(next)
    else fragments[fragments.length - 1] = joined
  }
  return fragments
}

function place(item: TextItem, view: Matrix, isBold: (fontName: string) => boolean): Fragment | null {
  const [a, b, c, d, e, f] = multiply(view, item.transform)
  const size = Math.hypot(c, d)
  if (Math.abs(b) > Math.abs(a) || size < MIN_FONT_SIZE || !Number.isFinite(e + f)) return null
  // Spaces at the ends belong to the gaps.
  const width = (item.width * Math.hypot(a, b)) / (Math.hypot(item.transform[0] ?? 0, item.transform[1] ?? 0) || 1)
  const text = item.str.trim()
  const perCharacter = width / item.str.length
  const left = e + (item.str.length - item.str.trimStart().length) * perCharacter
  return {
    text,
    left,
    right: left + text.length * perCharacter,
    baseline: f,
    size,
    isBold: isBold(item.fontName),
    isRightToLeft: item.dir === 'rtl',
  }
}

function multiply(view: Matrix, text: readonly number[]): Matrix {
  const [a, b, c, d, e, f] = view
  const [ta = 1, tb = 0, tc = 0, td = 1, te = 0, tf = 0] = text
  return [a * ta + c * tb, b * ta + d * tb, a * tc + c * td, b * tc + d * td, a * te + c * tf + e, b * te + d * tf + f]
}

function join(last: Fragment, next: Fragment): Fragment | null {
  const size = Math.max(last.size, next.size)
  const isRightToLeft = last.isRightToLeft && next.isRightToLeft
  const gap = isRightToLeft ? last.left - next.right : next.left - last.right
  // A raised or lowered letter is smaller.
  const isSameLine = Math.abs(last.baseline - next.baseline) <= size * SAME_LINE
  if (!isSameLine || gap > size * CELL_GAP || gap < -size * 0.5) return null
  const space = gap > size * WORD_GAP && !(isWideScript(last.text.at(-1)) && isWideScript(next.text.at(0))) ? ' ' : ''
  return {
    text: `${last.text}${space}${next.text}`,
    left: Math.min(last.left, next.left),
    right: Math.max(last.right, next.right),
    baseline: last.size >= next.size ? last.baseline : next.baseline,
    size,
    isBold: last.isBold && next.isBold,
    isRightToLeft: last.isRightToLeft || next.isRightToLeft,
  }
}

/** Scripts that put no spaces between words. */
function isWideScript(character: string | undefined): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character ?? '')
}
