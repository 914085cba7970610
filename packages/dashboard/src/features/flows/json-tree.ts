/** A JSON value with its position in the text as character offsets; `to` is exclusive. */
export type JsonTree = JsonObject | JsonArray | JsonLeaf

interface TextRange {
  readonly from: number
  readonly to: number
}

export interface JsonMember {
  readonly name: string
  readonly nameRange: TextRange
  readonly value: JsonTree
}

export interface JsonObject extends TextRange {
  readonly kind: 'object'
  readonly members: readonly JsonMember[]
}

export interface JsonArray extends TextRange {
  readonly kind: 'array'
  readonly items: readonly JsonTree[]
}

export interface JsonLeaf extends TextRange {
  readonly kind: 'leaf'
}

/** A parsed tree, or the position of the first syntax error. */
export type ParsedTree = { readonly tree: JsonTree } | { readonly errorOffset: number }

/** Prevents a stack overflow on deeply nested brackets. */
const MAX_DEPTH = 500

class JsonSyntaxError extends Error {
  readonly offset: number
  constructor(offset: number) {
    super(`Invalid JSON at offset ${offset}`)
    this.offset = offset
  }
}

export function parseTree(text: string): ParsedTree {
  try {
    const parser = new JsonParser(text)
    const tree = parser.parseValue(0)
    parser.expectEnd()
    return { tree }
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { errorOffset: error.offset }
    throw error
  }
}

class JsonParser {
  readonly #text: string
  #offset = 0

  constructor(text: string) {
    this.#text = text
  }

  parseValue(depth: number): JsonTree {
    this.#skipWhitespace()
    if (depth > MAX_DEPTH) throw new JsonSyntaxError(this.#offset)
    const character = this.#text[this.#offset]
    if (character === '{') return this.#parseObject(depth)
    if (character === '[') return this.#parseArray(depth)
    const from = this.#offset
    if (character === '"') this.#parseString()
    else this.#parseLiteral()
    return { kind: 'leaf', from, to: this.#offset }
  }

  expectEnd(): void {
    this.#skipWhitespace()
    if (this.#offset < this.#text.length) throw new JsonSyntaxError(this.#offset)
  }

  #parseObject(depth: number): JsonObject {
    const from = this.#offset
    const members = this.#parseItems('}', () => {
      const nameFrom = this.#offset
      const name = this.#parseString()
      const nameRange = { from: nameFrom, to: this.#offset }
      this.#skipWhitespace()
      this.#expect(':')
      return { name, nameRange, value: this.parseValue(depth + 1) }
    })
    return { kind: 'object', from, to: this.#offset, members }
  }

  #parseArray(depth: number): JsonArray {
    const from = this.#offset
    const items = this.#parseItems(']', () => this.parseValue(depth + 1))
    return { kind: 'array', from, to: this.#offset, items }
  }

  #parseItems<Item>(closingBracket: string, parseItem: () => Item): Item[] {
    const items: Item[] = []
    this.#offset += 1
    this.#skipWhitespace()
    if (this.#text[this.#offset] === closingBracket) {
      this.#offset += 1
      return items
    }
    for (;;) {
      this.#skipWhitespace()
      items.push(parseItem())
      this.#skipWhitespace()
      if (this.#text[this.#offset] === closingBracket) break
      this.#expect(',')
    }
    this.#offset += 1
    return items
  }

  #parseString(): string {
    const from = this.#offset
    this.#expect('"')
    for (;;) {
      const character = this.#text[this.#offset]
      if (character === undefined || character < ' ') throw new JsonSyntaxError(this.#offset)
      this.#offset += character === '\\' ? 2 : 1
      if (character === '"') break
    }
    try {
      return JSON.parse(this.#text.slice(from, this.#offset)) as string
    } catch {
      throw new JsonSyntaxError(from)
    }
  }

  /** Reads a number, true, false, or null. */
  #parseLiteral(): void {
    const literalPattern = /[\w+.-]*/y
    literalPattern.lastIndex = this.#offset
    const match = literalPattern.exec(this.#text)?.[0] ?? ''
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(match))
      throw new JsonSyntaxError(this.#offset)
    this.#offset += match.length
  }

  #expect(character: string): void {
    if (this.#text[this.#offset] !== character) throw new JsonSyntaxError(this.#offset)
    this.#offset += 1
  }

  #skipWhitespace(): void {
    const whitespacePattern = /[ \t\n\r]*/y
    whitespacePattern.lastIndex = this.#offset
    whitespacePattern.exec(this.#text)
    this.#offset = whitespacePattern.lastIndex
  }
}

/** The position of a path in a JSON text. */
export interface TextPosition {
  readonly from: number
  readonly to: number
  /** False if the path does not exist; the position is then that of its last existing ancestor. */
  readonly isExact: boolean
}

/**
 * Finds the position of a path such as `nodes[2].edges[0].id`. Names can contain dots, so the longest match wins. Like the API,
 * treats `globalPrompt` and `global_prompt` as equal.
 */
export function findPositionInTree(tree: JsonTree, path: string): TextPosition {
  return findSubtreePosition(tree, path, { isRoot: true, parentNameRange: null })
}

interface PathContext {
  readonly isRoot: boolean
  /** The position of the value's name. */
  readonly parentNameRange: { readonly from: number; readonly to: number } | null
}

function findSubtreePosition(tree: JsonTree, path: string, { isRoot, parentNameRange }: PathContext): TextPosition {
  if (path === '') return { from: tree.from, to: tree.to, isExact: true }
  const parentPosition = { ...(parentNameRange ?? { from: tree.from, to: tree.from + 1 }), isExact: false }
  if (tree.kind === 'array') {
    const match = /^\[(\d+)\]/.exec(path)
    const item = tree.items[Number(match?.[1] ?? -1)]
    return item === undefined || match === null
      ? parentPosition
      : findSubtreePosition(item, path.slice(match[0].length), { isRoot: false, parentNameRange: null })
  }
  if (tree.kind === 'leaf' || (!isRoot && !path.startsWith('.'))) return parentPosition
  const name = isRoot ? path : path.slice(1)
  const positions = findMatchingMembers(tree.members, name).map(({ member, length }) =>
    findSubtreePosition(member.value, name.slice(length), { isRoot: false, parentNameRange: member.nameRange }),
  )
  return positions.find(({ isExact }) => isExact) ?? positions[0] ?? parentPosition
}

interface NamedMember {
  readonly name: string
}

/** Lists the members that match the start of a path, best match first. The last of duplicate names counts. */
function findMatchingMembers<Member extends NamedMember>(
  members: readonly Member[],
  path: string,
): { readonly member: Member; readonly length: number }[] {
  const isBoundary = (length: number): boolean => length === path.length || path[length] === '.' || path[length] === '['
  const exactMatches = members
    .filter(({ name }) => path.startsWith(name) && isBoundary(name.length))
    .map((member) => ({ member, length: member.name.length }))
    .reverse()
    .sort((a, b) => b.length - a.length)
  const identifier = /^[\w-]+/.exec(path)?.[0] ?? ''
  if (identifier === '' || exactMatches.length > 0) return exactMatches
  return members
    .filter(({ name }) => normalizeName(name) === normalizeName(identifier) && isBoundary(identifier.length))
    .map((member) => ({ member, length: identifier.length }))
    .reverse()
}

const normalizeName = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()
