import type { TimedWord } from '@parley/engine/voice/ports'

/** A speech sound as it was spoken. */
export interface SpokenPhone {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** Times of words from the sounds of an utterance (pauses left out) and the sounds that each word has when it stands alone. */
export function timeWords(
  words: readonly { readonly text: string; readonly phones: readonly string[] }[],
  spoken: readonly SpokenPhone[],
): TimedWord[] {
  const expected = words.flatMap(({ phones }) => phones)
  const reached = alignPrefixes(
    expected,
    spoken.map(({ name }) => name),
  )
  let taken = 0
  let from = 0
  return words.map(({ text, phones }) => {
    taken += phones.length
    const to = Math.max(from, reached[taken] ?? spoken.length)
    const first = spoken[from]
    const last = spoken[to - 1]
    const isSilent = to === from || first === undefined || last === undefined
    // A word without sound of its own happens where the one before it ended.
    const silentMs = spoken[from - 1]?.endMs ?? spoken[0]?.startMs ?? 0
    from = to
    return isSilent ? { text, startMs: silentMs, endMs: silentMs } : { text, startMs: first.startMs, endMs: last.endMs }
  })
}

/**
 * For each prefix of `expected`, how many of `spoken` it covers in a cheapest alignment (edit distance; in running speech sounds
 * change, join and drop out). Grows monotonously and ends at all of them.
 */
export function alignPrefixes(expected: readonly string[], spoken: readonly string[]): number[] {
  const width = spoken.length + 1
  const costs = new Uint16Array((expected.length + 1) * width)
  for (let column = 0; column < width; column += 1) costs[column] = column
  for (let row = 1; row <= expected.length; row += 1) {
    costs[row * width] = row
    for (let column = 1; column < width; column += 1) {
      const above = (row - 1) * width + column
      const differs = expected[row - 1] === spoken[column - 1] ? 0 : 1
      costs[row * width + column] = Math.min(
        at(costs, above - 1) + differs,
        at(costs, above) + 1,
        at(costs, row * width + column - 1) + 1,
      )
    }
  }
  const reached = new Array<number>(expected.length + 1).fill(0)
  let row = expected.length
  let column = spoken.length
  reached[row] = column
  while (row > 0) {
    const here = at(costs, row * width + column)
    const above = (row - 1) * width + column
    const differs = expected[row - 1] === spoken[column - 1] ? 0 : 1
    if (column > 0 && here === at(costs, above - 1) + differs) {
      row -= 1
      column -= 1
      reached[row] = column
    } else if (here === at(costs, above) + 1) {
      row -= 1
      reached[row] = column
    } else column -= 1
  }
  return reached
}

function at(costs: Uint16Array, index: number): number {
  return costs[index] ?? Number.MAX_SAFE_INTEGER
}
