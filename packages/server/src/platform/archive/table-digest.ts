import { createHash } from 'node:crypto'

/** How many rows a table has, and the SHA-256 over them in the order of their keys, one line of JSON for each. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

export interface DigestBuilder {
  /** Adds rows, each as its line of JSON without an end. */
  add(lines: readonly string[]): void
  finish(): TableDigest
}

/** The same for the same rows, whatever database they come from. */
export function createTableDigest(): DigestBuilder {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(lines) {
      if (lines.length === 0) return
      rows += lines.length
      hash.update(`${lines.join('\n')}\n`, 'utf8')
    },
    finish: () => ({ rows, sha256: hash.digest('hex') }),
  }
}

/** Tables that are not the same on both sides, by name. */
export function differingTables(
  source: ReadonlyMap<string, TableDigest>,
  target: ReadonlyMap<string, TableDigest>,
): string[] {
  const names = new Set([...source.keys(), ...target.keys()])
  return [...names].filter((name) => {
    const [one, other] = [source.get(name), target.get(name)]
    return one?.rows !== other?.rows || one?.sha256 !== other?.sha256
  })
}
