/** The vectors of a source's chunks, one after another in one block. */
export interface ChunkVectors {
  readonly sizeBytes: number
  /** Calls back with the chunks that have a vector and its cosine with `vector`; with none when the lengths differ. */
  compare(vector: Float32Array, visit: (chunk: number, cosine: number) => void): void
}

/** Copies the vectors of chunks; `positions` says which of them belongs to each chunk. */
export function packVectors(vectors: readonly (Float32Array | null)[], positions: Uint32Array): ChunkVectors | null {
  const dimensions = vectors.find((vector) => vector !== null)?.length ?? 0
  const present: { readonly chunk: number; readonly vector: Float32Array }[] = []
  for (const [chunk, position] of positions.entries()) {
    const vector = vectors[position]
    if (vector && vector.length === dimensions) present.push({ chunk, vector })
  }
  if (dimensions === 0 || present.length === 0) return null
  const block = new Float32Array(present.length * dimensions)
  const chunks = new Uint32Array(present.length)
  for (const [row, { chunk, vector }] of present.entries()) {
    block.set(vector, row * dimensions)
    chunks[row] = chunk
  }
  return {
    sizeBytes: block.byteLength + chunks.byteLength,
    compare(vector, visit) {
      if (vector.length !== dimensions) return
      for (let row = 0; row < chunks.length; row++) visit(chunks[row] as number, dot(block, row * dimensions, vector))
    },
  }
}

/** Four sums at once, so that no addition waits for the one before. */
function dot(block: Float32Array, from: number, vector: Float32Array): number {
  const length = vector.length
  const even = length - (length % 4)
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  let at = 0
  for (; at < even; at += 4) {
    first += (block[from + at] as number) * (vector[at] as number)
    second += (block[from + at + 1] as number) * (vector[at + 1] as number)
    third += (block[from + at + 2] as number) * (vector[at + 2] as number)
    fourth += (block[from + at + 3] as number) * (vector[at + 3] as number)
  }
  for (; at < length; at++) first += (block[from + at] as number) * (vector[at] as number)
  return first + second + third + fourth
}
