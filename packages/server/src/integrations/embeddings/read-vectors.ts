import { asObject } from '../models/unknown-json.ts'

/** More numbers than any model's vectors have. */
const MAX_DIMENSIONS = 8192

export type ReadVectors =
  | { readonly ok: true; readonly vectors: readonly Float32Array[] }
  | { readonly ok: false; readonly message: string }

/** The vectors of an answer in the order of the texts, whatever order they came in, each brought to length 1. */
export function readVectors(body: unknown, count: number): ReadVectors {
  const data = asObject(body)?.data
  if (!Array.isArray(data)) return unusable('The provider answered without a list of vectors.')
  if (data.length !== count) return unusable(`The provider answered ${data.length} vectors for ${count} texts.`)
  const vectors: (Float32Array | undefined)[] = new Array(count).fill(undefined)
  for (const [place, element] of data.entries()) {
    const fields = asObject(element)
    const index = fields?.index ?? place
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors[index]) {
      return unusable('The provider answered vectors that do not belong to the texts.')
    }
    const vector = readVector(fields?.embedding)
    if (vector === null) return unusable('The provider answered something that is no vector.')
    vectors[index] = vector
  }
  const whole = vectors.filter((vector) => vector !== undefined)
  const dimensions = whole[0]?.length
  if (whole.some((vector) => vector.length !== dimensions)) {
    return unusable('The provider answered vectors of different lengths.')
  }
  return { ok: true, vectors: whole }
}

/** A list of numbers or the base64 of 32-bit floats, little endian; null when it is neither, or points nowhere. */
function readVector(value: unknown): Float32Array | null {
  const vector = typeof value === 'string' ? decodeVector(value) : Array.isArray(value) ? listOfNumbers(value) : null
  return vector === null || vector.length === 0 || vector.length > MAX_DIMENSIONS ? null : normalise(vector)
}

function decodeVector(text: string): Float32Array | null {
  if (text.length > MAX_DIMENSIONS * 6) return null
  const bytes = Buffer.from(text, 'base64')
  const width = Float32Array.BYTES_PER_ELEMENT
  if (bytes.length % width !== 0) return null
  const vector = new Float32Array(bytes.length / width)
  for (let index = 0; index < vector.length; index += 1) vector[index] = bytes.readFloatLE(index * width)
  return vector
}

function listOfNumbers(list: readonly unknown[]): Float32Array | null {
  const isNumberArray = list.every((number) => typeof number === 'number')
  return isNumberArray && list.length <= MAX_DIMENSIONS ? Float32Array.from(list) : null
}

function normalise(vector: Float32Array): Float32Array | null {
  let squares = 0
  for (const number of vector) squares += number * number
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length) || length === 0) return null
  return vector.map((number) => number / length)
}

function unusable(message: string): ReadVectors {
  return { ok: false, message }
}
