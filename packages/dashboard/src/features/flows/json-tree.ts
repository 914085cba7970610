/** Where every value of a JSON text stands. Characters count from 0; `to` is behind the last one. */

/** A value with its place. */
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

/** What a text holds: its tree, or where it stops being JSON. */
export type ReadTree = { readonly tree: JsonTree } | { readonly faultAt: number }

/** Deeper than anything that is stored; a text of nothing but brackets ends here instead of in an overflow. */
const MAX_LEVELS = 500

class Fault extends Error {
  readonly at: number
  constructor(at: number) {
    super('This is no JSON from here on.')
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
    if (level > MAX_LEVELS) throw new Fault(this.#at)
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

  /** What stands between brackets, with commas between. */
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

  /** Goes over a string, and answers what it says. */
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

  /** A number, or one of the three words. */
  #word(): void {
    const word = /[\w+.-]*/y
    word.lastIndex = this.#at
    const found = word.exec(this.#text)?.[0] ?? ''
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(found)) throw new Fault(this.#at)
    this.#at += found.length
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
