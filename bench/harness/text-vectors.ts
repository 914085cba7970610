import type { Embedder } from '../../packages/server/src/features/knowledge/knowledge-ports.ts'
import { createRandom } from './call-history.ts'

const DIMENSIONS = 384

/** An embedding model that costs nothing and has no semantics: random numbers that depend only on the text. */
export const VECTOR_EMBEDDER: Embedder = {
  model: 'bench',
  batchSize: 64,
  embed: (texts) => Promise.resolve({ ok: true, vectors: texts.map(createVector) }),
}

/** Returns a vector of length 1. */
export function createVector(text: string): Float32Array<ArrayBuffer> {
  const random = createRandom(calculateSeed(text))
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() * 2 - 1)
  const length = Math.sqrt(calculateDotProduct(vector, vector))
  return vector.map((number) => number / length)
}

export function calculateDotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

/** Returns a seed that is never 0, since a generator with seed 0 would stay at 0. */
function calculateSeed(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 1
}
