import { buildSegment, type IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import { type IndexHit, type IndexQuery, search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import type { IndexChange, SegmentParts, VectorPage } from '../../features/knowledge/public.ts'

type Vectors = (Float32Array | null)[]

interface HeldIndex {
  readonly index: SearchIndex
  /** Vectors of segments that are still incomplete. */
  readonly incoming: Map<string, Vectors>
}

/** Holds the indexes of knowledge bases by id. */
export class IndexHolder {
  readonly #held = new Map<string, HeldIndex>()

  /** Handles a request. Throws what the index throws. */
  handle(request: IndexRequest): IndexAnswer {
    switch (request.kind) {
      case 'add':
        return this.#add(request.base, request.segments)
      case 'build':
        return this.#build(request.base, request.key, request.chunks)
      case 'vectors':
        return this.#addVectors(request.base, request.page)
      case 'remove':
        return this.#remove(request.base, request.keys)
      case 'drop':
        this.#held.delete(request.base)
        return { unreadable: [], sizeBytes: 0 }
      case 'search':
        return this.#search(request)
    }
  }

  #add(base: string, segments: readonly SegmentParts[]): IndexChange {
    const held = this.#open(base)
    const unreadable = segments.flatMap(({ key, parts }) =>
      addSegment(held.index, key, joinBytes(parts)) ? [] : [key],
    )
    return { unreadable, sizeBytes: held.index.sizeBytes }
  }

  #build(base: string, key: string, chunks: readonly IndexedChunk[]): IndexChange {
    const { index } = this.#open(base)
    index.add(key, buildSegment(chunks))
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #addVectors(base: string, { dimensions, numbers, places, complete }: VectorPage): IndexChange {
    const { index, incoming } = this.#open(base)
    for (const [place, { key, position }] of places.entries()) {
      const vectors: Vectors = incoming.get(key) ?? []
      incoming.set(key, vectors)
      while (vectors.length < position) vectors.push(null)
      vectors[position] = numbers.subarray(place * dimensions, (place + 1) * dimensions)
    }
    for (const key of complete) {
      const vectors = incoming.get(key)
      if (vectors !== undefined && index.has(key)) index.setVectors(key, vectors)
      incoming.delete(key)
    }
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #remove(base: string, keys: readonly string[]): IndexChange {
    const { index, incoming } = this.#open(base)
    for (const key of keys) {
      if (index.has(key)) index.remove(key)
      incoming.delete(key)
    }
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #search({ bases, query }: Extract<IndexRequest, { kind: 'search' }>): IndexHit[] {
    return search(
      bases.map((base) => this.#held.get(base)?.index ?? new SearchIndex()),
      query,
    )
  }

  #open(base: string): HeldIndex {
    const known = this.#held.get(base)
    if (known !== undefined) return known
    const held: HeldIndex = { index: new SearchIndex(), incoming: new Map() }
    this.#held.set(base, held)
    return held
  }
}

/** Adds a segment. Returns false and leaves the index unchanged if the segment cannot be read. */
function addSegment(index: SearchIndex, key: string, segment: Uint8Array): boolean {
  try {
    index.add(key, segment)
    return true
  } catch {
    if (index.has(key)) index.remove(key)
    return false
  }
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}

/** A request to the thread. */
export type IndexRequest =
  | { readonly kind: 'add'; readonly base: string; readonly segments: readonly SegmentParts[] }
  | { readonly kind: 'build'; readonly base: string; readonly key: string; readonly chunks: readonly IndexedChunk[] }
  | { readonly kind: 'vectors'; readonly base: string; readonly page: VectorPage }
  | { readonly kind: 'remove'; readonly base: string; readonly keys: readonly string[] }
  | { readonly kind: 'drop'; readonly base: string }
  | { readonly kind: 'search'; readonly bases: readonly string[]; readonly query: IndexQuery }

export type IndexAnswer = IndexChange | readonly IndexHit[]

/** A numbered request. */
export interface IndexRequestMessage {
  readonly number: number
  readonly request: IndexRequest
}

/** The outcome of a request. `error` is the message of a thrown error. */
export type IndexAnswerMessage =
  | { readonly number: number; readonly answer: IndexAnswer }
  | { readonly number: number; readonly error: string }
