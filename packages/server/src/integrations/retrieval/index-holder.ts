import { buildSegment, type IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import { type IndexHit, type IndexQuery, search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import type { IndexChange, SegmentParts, VectorPage } from '../../features/knowledge/public.ts'

type Vectors = (Float32Array | null)[]

interface IndexEntry {
  readonly index: SearchIndex
  /** Vectors of segments that are still incomplete. */
  readonly incompleteVectors: Map<string, Vectors>
}

/** Holds the indexes of knowledge bases, by knowledge base ID. */
export class IndexHolder {
  readonly #indexes = new Map<string, IndexEntry>()

  /** Handles a request. Throws if the index throws. */
  handle(request: IndexRequest): IndexResponse {
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
        this.#indexes.delete(request.base)
        return { unreadable: [], sizeBytes: 0 }
      case 'search':
        return this.#search(request)
    }
  }

  #add(base: string, segments: readonly SegmentParts[]): IndexChange {
    const entry = this.#getOrCreate(base)
    const unreadableKeys = segments.flatMap(({ key, parts }) =>
      addSegment(entry.index, key, concatBytes(parts)) ? [] : [key],
    )
    return { unreadable: unreadableKeys, sizeBytes: entry.index.sizeBytes }
  }

  #build(base: string, key: string, chunks: readonly IndexedChunk[]): IndexChange {
    const { index } = this.#getOrCreate(base)
    index.add(key, buildSegment(chunks))
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #addVectors(base: string, { dimensions, values, locations, completeKeys }: VectorPage): IndexChange {
    const { index, incompleteVectors } = this.#getOrCreate(base)
    for (const [vectorIndex, { key, position }] of locations.entries()) {
      const vectors: Vectors = incompleteVectors.get(key) ?? []
      incompleteVectors.set(key, vectors)
      while (vectors.length < position) vectors.push(null)
      vectors[position] = values.subarray(vectorIndex * dimensions, (vectorIndex + 1) * dimensions)
    }
    for (const key of completeKeys) {
      const vectors = incompleteVectors.get(key)
      if (vectors !== undefined && index.has(key)) index.setVectors(key, vectors)
      incompleteVectors.delete(key)
    }
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #remove(base: string, keys: readonly string[]): IndexChange {
    const { index, incompleteVectors } = this.#getOrCreate(base)
    for (const key of keys) {
      if (index.has(key)) index.remove(key)
      incompleteVectors.delete(key)
    }
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #search({ bases, query }: Extract<IndexRequest, { kind: 'search' }>): IndexHit[] {
    return search(
      bases.map((base) => this.#indexes.get(base)?.index ?? new SearchIndex()),
      query,
    )
  }

  #getOrCreate(base: string): IndexEntry {
    const existing = this.#indexes.get(base)
    if (existing !== undefined) return existing
    const entry: IndexEntry = { index: new SearchIndex(), incompleteVectors: new Map() }
    this.#indexes.set(base, entry)
    return entry
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

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [firstPart] = parts
  return parts.length === 1 && firstPart !== undefined ? firstPart : Buffer.concat(parts)
}

/** A request to the thread. */
export type IndexRequest =
  | { readonly kind: 'add'; readonly base: string; readonly segments: readonly SegmentParts[] }
  | { readonly kind: 'build'; readonly base: string; readonly key: string; readonly chunks: readonly IndexedChunk[] }
  | { readonly kind: 'vectors'; readonly base: string; readonly page: VectorPage }
  | { readonly kind: 'remove'; readonly base: string; readonly keys: readonly string[] }
  | { readonly kind: 'drop'; readonly base: string }
  | { readonly kind: 'search'; readonly bases: readonly string[]; readonly query: IndexQuery }

export type IndexResponse = IndexChange | readonly IndexHit[]

/** A numbered request. */
export interface IndexRequestMessage {
  readonly number: number
  readonly request: IndexRequest
}

/** The outcome of a request. `error` is the message of a thrown error. */
export type IndexResponseMessage =
  | { readonly number: number; readonly response: IndexResponse }
  | { readonly number: number; readonly error: string }
