import { createHash } from 'node:crypto'

/** Number of rows in a table, and the SHA-256 of their JSON lines in key order. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

export interface DigestBuilder {
  /** Adds rows, each as a JSON line without a line break. */
  add(lines: readonly string[]): void
  finish(): TableDigest
}

/** Creates a digest builder. Equal rows have equal digests in every kind of database. */
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

/** Returns the names of the tables that differ. */
export function findDifferingTables(
  source: ReadonlyMap<string, TableDigest>,
  target: ReadonlyMap<string, TableDigest>,
): string[] {
  const names = new Set([...source.keys(), ...target.keys()])
  return [...names].filter((name) => {
    const [sourceDigest, targetDigest] = [source.get(name), target.get(name)]
    return sourceDigest?.rows !== targetDigest?.rows || sourceDigest?.sha256 !== targetDigest?.sha256
  })
}
