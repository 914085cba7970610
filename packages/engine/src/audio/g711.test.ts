import { describe, expect, test } from 'vitest'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts'

const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768)
const ALL_CODES = Uint8Array.from({ length: 256 }, (_, index) => index)

/** Builds the decision values of G.711 tables 1a and 2a, where each of the eight segments doubles the step size. */
function buildDecisionValues(first: number, steps: readonly { count: number; size: number }[]): number[] {
  const values = [first]
  for (const { count, size } of steps) {
    for (let index = 0; index < count; index += 1) values.push((values.at(-1) ?? 0) + size)
  }
  return values
}

/** 14-bit decision values. The first step extends half a step on each side of zero. */
const MU_DECISIONS = [
  0,
  ...buildDecisionValues(1, [
    { count: 15, size: 2 },
    ...[4, 8, 16, 32, 64, 128, 256].map((size) => ({ count: 16, size })),
  ]),
]
/** 13-bit decision values. */
const A_DECISIONS = buildDecisionValues(0, [
  { count: 32, size: 2 },
  ...[4, 8, 16, 32, 64, 128].map((size) => ({ count: 16, size })),
])

describe.each([
  { law: 'µ', encode: encodeMuLaw, decode: decodeMuLaw, decisions: MU_DECISIONS, unit: 4, zero: 0xff, loudest: 32_124 },
  { law: 'A', encode: encodeALaw, decode: decodeALaw, decisions: A_DECISIONS, unit: 8, zero: 0xd5, loudest: 32_256 },
])('$law-law', ({ encode, decode, decisions, unit, zero, loudest }) => {
  test('decodes each sample to the midpoint of its G.711 interval', () => {
    const decodedSamples = decode(encode(ALL_SAMPLES))
    for (const [index, sample] of ALL_SAMPLES.entries()) {
      // Negative samples are counted from -1.
      const magnitude = Math.min(sample < 0 ? ~sample : sample, (decisions.at(-1) ?? 0) * unit - 1)
      let low = 0
      let high = decisions.length - 1
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((decisions[middle] ?? 0) * unit <= magnitude) low = middle
        else high = middle
      }
      const isNearZero = low === 0 && unit === 4
      const value = isNearZero ? 0 : (((decisions[low] ?? 0) + (decisions[low + 1] ?? 0)) / 2) * unit
      if (Math.abs(decodedSamples[index] ?? Number.NaN) !== value)
        expect(`${sample}: ${decodedSamples[index]}`).toBe(`${sample}: ${value}`)
      if (value !== 0 && Math.sign(decodedSamples[index] ?? 0) !== (sample < 0 ? -1 : 1))
        expect(sample).toBe('a sample whose sign survives encoding')
    }
  })

  test('encodes known values to known codes', () => {
    expect(encode(new Int16Array([0]))[0]).toBe(zero)
    expect(Math.max(...decode(ALL_CODES))).toBe(loudest)
    expect(Math.min(...decode(ALL_CODES))).toBe(-loudest)
  })

  test('round-trips every code except negative zero', () => {
    const recoded = encode(decode(ALL_CODES))
    const changedCodes = [...ALL_CODES].filter((code) => recoded[code] !== code)
    expect(changedCodes).toEqual(unit === 4 ? [0x7f] : [])
  })

  test('writes to the target', () => {
    const bytes = new Uint8Array(3)
    expect(encode(new Int16Array([1, 2, 3]), bytes)).toBe(bytes)
    const samples = new Int16Array(3)
    expect(decode(bytes, samples)).toBe(samples)
  })
})
