import { buildSegment, type IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import { type IndexHit, search } from '@parley/retrieval/lexical/search'
import { SearchIndex } from '@parley/retrieval/lexical/search-index'
import type { Changed, SegmentParts, VectorPage } from '../../features/knowledge/public.ts'
import type { IndexAnswer, IndexRequest } from './index-protocol.ts'

type Vectors = (Float32Array | null)[]

interface HeldIndex {
  readonly index: SearchIndex
  /** Vectors that have come, of segments whose vectors are not all there yet. */
  readonly incoming: Map<string, Vectors>
}

/** The indexes of knowledge bases, by their ids. */
export class IndexHolder {
  readonly #held = new Map<string, HeldIndex>()

  /** Does what is asked for. Throws what the index throws. */
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

  #add(base: string, segments: readonly SegmentParts[]): Changed {
    const held = this.#open(base)
    const unreadable = segments.flatMap(({ key, parts }) => (addSegment(held.index, key, join(parts)) ? [] : [key]))
    return { unreadable, sizeBytes: held.index.sizeBytes }
  }

  #build(base: string, key: string, chunks: readonly IndexedChunk[]): Changed {
    const { index } = this.#open(base)
    index.add(key, buildSegment(chunks))
    return { unreadable: [], sizeBytes: index.sizeBytes }
  }

  #addVectors(base: string, { dimensions, numbers, places, complete }: VectorPage): Changed {
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

  #remove(base: string, keys: readonly string[]): Changed {
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

/** False when it cannot be read; nothing of it is in the index then. */
function addSegment(index: SearchIndex, key: string, segment: Uint8Array): boolean {
  try {
    index.add(key, segment)
    return true
  } catch {
    if (index.has(key)) index.remove(key)
    return false
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
}
