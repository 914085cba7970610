import { type Import, importsOf } from './imports.ts'

export interface SourceFile {
  readonly path: string
  readonly source: string
}

/** Returns sorted groups of files that import each other, including type imports. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const known = new Set(files.map(({ path }) => path))
  const targets = new Map<string, string[]>(
    files.map(({ path, source }) => [path, importsOf(path, source).flatMap((one) => fileOf(one, known))]),
  )
  const groups = new StrongComponents(targets).groups.filter((group) => group.length > 1)
  return groups.map((group) => group.toSorted()).toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1))
}

/** Returns the imported file, if known. Resolved `@parley/…` imports always end in `.ts`, even for `.tsx` files. */
function fileOf({ to }: Import, known: ReadonlySet<string>): string[] {
  return [to, `${to}x`].filter((path) => known.has(path)).slice(0, 1)
}

/** Tarjan's strongly connected components (1972). A file outside all cycles is its own group. */
class StrongComponents {
  readonly groups: string[][] = []
  readonly #targets: ReadonlyMap<string, readonly string[]>
  readonly #indexes = new Map<string, number>()
  readonly #stack: string[] = []
  readonly #onStack = new Set<string>()

  constructor(targets: ReadonlyMap<string, readonly string[]>) {
    this.#targets = targets
    for (const path of targets.keys()) if (!this.#indexes.has(path)) this.#visit(path)
  }

  #visit(path: string): number {
    const index = this.#indexes.size
    let lowest = index
    this.#indexes.set(path, index)
    this.#stack.push(path)
    this.#onStack.add(path)
    for (const target of this.#targets.get(path) ?? []) {
      const known = this.#indexes.get(target)
      if (known === undefined) lowest = Math.min(lowest, this.#visit(target))
      else if (this.#onStack.has(target)) lowest = Math.min(lowest, known)
    }
    if (lowest === index) this.groups.push(this.#takeFrom(path))
    return lowest
  }

  #takeFrom(path: string): string[] {
    const group = this.#stack.splice(this.#stack.indexOf(path))
    for (const each of group) this.#onStack.delete(each)
    return group
  }
}
