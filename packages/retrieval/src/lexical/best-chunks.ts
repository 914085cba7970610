import type { ChunkLocation } from './search-index.ts'

/** A chunk among the best. */
export interface RankedChunk {
  readonly chunk: number
  readonly value: number
  readonly place: ChunkLocation & { readonly index: number }
}

/** Keeps the best chunks that are offered, one of those with the same text. Ties go by key and position. */
export class BestChunks {
  readonly #limit: number
  readonly #place: (chunk: number) => RankedChunk['place']
  readonly #best: RankedChunk[] = []
  readonly #hashes = new Set<string>()

  constructor(limit: number, place: (chunk: number) => RankedChunk['place']) {
    this.#limit = limit
    this.#place = place
  }

  offer(chunk: number, value: number): void {
    const last = this.#best[this.#best.length - 1]
    if (last !== undefined && this.#best.length === this.#limit && value < last.value) return
    const ranked = { chunk, value, place: this.#place(chunk) }
    const { hash } = ranked.place
    if (this.#hashes.has(hash)) {
      const twin = this.#best.findIndex(({ place }) => place.hash === hash)
      if (compareRanked(ranked, this.#best[twin] as RankedChunk) > 0) return
      this.#best.splice(twin, 1)
    }
    this.#hashes.add(hash)
    let at = this.#best.length
    while (at > 0 && compareRanked(ranked, this.#best[at - 1] as RankedChunk) < 0) at--
    this.#best.splice(at, 0, ranked)
    if (this.#best.length <= this.#limit) return
    const least = this.#best.pop()
    if (least !== undefined) this.#hashes.delete(least.place.hash)
  }

  /** Best first. */
  all(): readonly RankedChunk[] {
    return this.#best
  }
}

/** Negative when `left` comes first. */
export function compareRanked(
  left: Pick<RankedChunk, 'value' | 'place'>,
  right: Pick<RankedChunk, 'value' | 'place'>,
): number {
  if (left.value !== right.value) return right.value - left.value
  if (left.place.key !== right.place.key) return left.place.key < right.place.key ? -1 : 1
  return left.place.position - right.place.position || left.place.index - right.place.index
}
