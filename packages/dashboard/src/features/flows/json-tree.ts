/** A JSON value with its position in the text as character offsets; `to` is exclusive. */
export type JsonTree = JsonObject | JsonArray | JsonLeaf

interface Place {
  readonly from: number
  readonly to: number
}

export interface JsonMember {
  readonly name: string
  readonly nameAt: Place
  readonly value: JsonTree
}

export interface JsonObject extends Place {
  readonly kind: 'object'
  readonly members: readonly JsonMember[]
}

export interface JsonArray extends Place {
  readonly kind: 'array'
  readonly items: readonly JsonTree[]
}

export interface JsonLeaf extends Place {
  readonly kind: 'leaf'
}

/** A parsed tree, or the position of the first syntax error. */
export type ReadTree = { readonly tree: JsonTree } | { readonly faultAt: number }

/** Prevents a stack overflow on deeply nested brackets. */
const MAX_DEPTH = 500

class Fault extends Error {
  readonly at: number
  constructor(at: number) {
    super('Not JSON from here on.')
    this.at = at
  }
}

export function readTree(text: string): ReadTree {
  try {
    const reader = new Reader(text)
    const tree = reader.value(0)
    reader.end()
    return { tree }
  } catch (error) {
    if (error instanceof Fault) return { faultAt: error.at }
    throw error
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(level: number): JsonTree {
    this.#space()
    if (level > MAX_DEPTH) throw new Fault(this.#at)
    const first = this.#text[this.#at]
    if (first === '{') return this.#object(level)
    if (first === '[') return this.#array(level)
    const from = this.#at
    if (first === '"') this.#string()
    else this.#word()
    return { kind: 'leaf', from, to: this.#at }
  }

  end(): void {
    this.#space()
    if (this.#at < this.#text.length) throw new Fault(this.#at)
  }

  #object(level: number): JsonObject {
    const from = this.#at
    const members = this.#list('}', () => {
      const nameFrom = this.#at
      const name = this.#string()
      const nameAt = { from: nameFrom, to: this.#at }
      this.#space()
      this.#take(':')
      return { name, nameAt, value: this.value(level + 1) }
    })
    return { kind: 'object', from, to: this.#at, members }
  }

  #array(level: number): JsonArray {
    const from = this.#at
    const items = this.#list(']', () => this.value(level + 1))
    return { kind: 'array', from, to: this.#at, items }
  }

  #list<Item>(close: string, readItem: () => Item): Item[] {
    const items: Item[] = []
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === close) {
      this.#at += 1
      return items
    }
    for (;;) {
      this.#space()
      items.push(readItem())
      this.#space()
      if (this.#text[this.#at] === close) break
      this.#take(',')
    }
    this.#at += 1
    return items
  }

  #string(): string {
    const from = this.#at
    this.#take('"')
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || character < ' ') throw new Fault(this.#at)
      this.#at += character === '\\' ? 2 : 1
      if (character === '"') break
    }
    try {
      return JSON.parse(this.#text.slice(from, this.#at)) as string
    } catch {
      throw new Fault(from)
    }
  }

  /** Reads a number, true, false, or null. */
  #word(): void {
    const word = /[\w+.-]*/y
    word.lastIndex = this.#at
    const match = word.exec(this.#text)?.[0] ?? ''
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(match)) throw new Fault(this.#at)
    this.#at += match.length
  }

  #take(character: string): void {
    if (this.#text[this.#at] !== character) throw new Fault(this.#at)
    this.#at += 1
  }

  #space(): void {
    const space = /[ \t\n\r]*/y
    space.lastIndex = this.#at
    space.exec(this.#text)
    this.#at = space.lastIndex
  }
}

/** The position of a path in a JSON text. */
export interface TextPosition {
  readonly from: number
  readonly to: number
  /** False if the path does not exist; the position then belongs to its last existing part. */
  readonly isExact: boolean
}

/**
 * Finds the position of a path such as `nodes[2].edges[0].id`. Names can contain dots, so the longest match wins. Like the API,
 * treats `globalPrompt` and `global_prompt` as equal.
 */
export function findPositionInTree(tree: JsonTree, path: string): TextPosition {
  return findPath(tree, path, { isRoot: true, nameAt: null })
}

interface PathStep {
  readonly isRoot: boolean
  /** The position of the value's name. */
  readonly nameAt: { readonly from: number; readonly to: number } | null
}

function findPath(tree: JsonTree, rest: string, { isRoot, nameAt }: PathStep): TextPosition {
  if (rest === '') return { from: tree.from, to: tree.to, isExact: true }
  const lost = { ...(nameAt ?? { from: tree.from, to: tree.from + 1 }), isExact: false }
  if (tree.kind === 'array') {
    const match = /^\[(\d+)\]/.exec(rest)
    const item = tree.items[Number(match?.[1] ?? -1)]
    return item === undefined || match === null
      ? lost
      : findPath(item, rest.slice(match[0].length), { isRoot: false, nameAt: null })
  }
  if (tree.kind === 'leaf' || (!isRoot && !rest.startsWith('.'))) return lost
  const name = isRoot ? rest : rest.slice(1)
  const positions = findMatchingMembers(tree.members, name).map(({ member, length }) =>
    findPath(member.value, name.slice(length), { isRoot: false, nameAt: member.nameAt }),
  )
  return positions.find(({ isExact }) => isExact) ?? positions[0] ?? lost
}

interface Named {
  readonly name: string
}

/** Lists the members that match the start of a path, best match first. The last of duplicate names counts. */
function findMatchingMembers<Member extends Named>(
  members: readonly Member[],
  path: string,
): { readonly member: Member; readonly length: number }[] {
  const isBoundary = (length: number): boolean => length === path.length || path[length] === '.' || path[length] === '['
  const exact = members
    .filter(({ name }) => path.startsWith(name) && isBoundary(name.length))
    .map((member) => ({ member, length: member.name.length }))
    .reverse()
    .sort((one, other) => other.length - one.length)
  const spelled = /^[\w-]+/.exec(path)?.[0] ?? ''
  if (spelled === '' || exact.length > 0) return exact
  return members
    .filter(({ name }) => normalizeName(name) === normalizeName(spelled) && isBoundary(spelled.length))
    .map((member) => ({ member, length: spelled.length }))
    .reverse()
}

const normalizeName = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()
