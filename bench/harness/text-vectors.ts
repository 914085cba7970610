import type { Embedder } from '../../packages/server/src/features/knowledge/knowledge-ports.ts'
import { createRandom } from './call-history.ts'

const DIMENSIONS = 384

/** An embedding model that costs nothing and understands nothing: numbers by chance, always the same for the same text. */
export const VECTOR_EMBEDDER: Embedder = {
  model: 'bench',
  batchSize: 64,
  embed: (texts) => Promise.resolve({ ok: true, vectors: texts.map(vectorOf) }),
}

/** Of length 1. */
export function vectorOf(text: string): Float32Array<ArrayBuffer> {
  const random = createRandom(seedOf(text))
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random() * 2 - 1)
  const length = Math.sqrt(dot(vector, vector))
  return vector.map((number) => number / length)
}

export function dot(one: Float32Array, two: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (two[at] ?? 0)
  return sum
}

/** Never 0, which would stay 0. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash | 1
}
