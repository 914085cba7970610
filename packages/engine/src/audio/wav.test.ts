import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildWavHeader, downmix, parseWav, type WavAudio, writeWav } from './wav.ts'

function toBytes(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0))
}

function toLittleEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256)
}

interface FileParts {
  readonly code?: number
  readonly bits?: number
  readonly channels?: number
  readonly data: readonly number[]
  readonly before?: readonly number[]
  readonly dataSize?: number
  readonly block?: number
}

function createFile({
  code = 1,
  bits = 16,
  channels = 1,
  data,
  before = [],
  dataSize = data.length,
  block,
}: FileParts) {
  const format = [
    ...toLittleEndian(code, 2),
    ...toLittleEndian(channels, 2),
    ...toLittleEndian(8_000, 4),
    ...toLittleEndian((8_000 * channels * bits) / 8, 4),
    ...toLittleEndian(block ?? (channels * bits) / 8, 2),
    ...toLittleEndian(bits, 2),
  ]
  const parts = [
    ...toBytes('fmt '),
    ...toLittleEndian(16, 4),
    ...format,
    ...before,
    ...toBytes('data'),
    ...toLittleEndian(dataSize, 4),
  ]
  return new Uint8Array([
    ...toBytes('RIFF'),
    ...toLittleEndian(4 + parts.length + data.length, 4),
    ...toBytes('WAVE'),
    ...parts,
    ...data,
  ])
}

function readAudio(file: Uint8Array): WavAudio {
  const parsed = parseWav(file)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.audio
}

function getProblem(file: Uint8Array): string {
  const parsed = parseWav(file)
  return parsed.ok ? '' : parsed.problem
}

test('round-trips written samples', () => {
  fc.assert(
    fc.property(
      fc.int16Array({ maxLength: 200 }),
      fc.constantFrom(8_000, 16_000, 44_100),
      fc.integer({ min: 1, max: 4 }),
      (values, rateHz, channels) => {
        const samples = Int16Array.from(values).subarray(0, values.length - (values.length % channels))
        expect(readAudio(writeWav({ rateHz, channels, samples }))).toEqual({
          rateHz,
          channels,
          samples: samples.slice(),
        })
      },
    ),
  )
})

describe('wavHeader', () => {
  test('contains sizes and rates', () => {
    const view = new DataView(buildWavHeader({ rateHz: 16_000, channels: 2, dataBytes: 64_000 }).buffer)
    expect(view.byteLength).toBe(44)
    expect(view.getUint32(4, true)).toBe(64_036)
    expect(view.getUint32(28, true)).toBe(64_000)
    expect(view.getUint16(32, true)).toBe(4)
    expect(view.getUint32(40, true)).toBe(64_000)
  })

  test('with an unknown size accepts all following data', () => {
    const header = buildWavHeader({ rateHz: 8_000, channels: 1, dataBytes: null })
    expect(readAudio(new Uint8Array([...header, 1, 0, 2, 0, 9])).samples).toEqual(new Int16Array([1, 2]))
  })
})

describe('formats', () => {
  test('reads 8 bits around the midpoint', () => {
    expect([...readAudio(createFile({ bits: 8, data: [0, 128, 255] })).samples]).toEqual([-32_768, 0, 32_512])
  })

  test('drops the low bits of 24 and 32 bits', () => {
    expect([...readAudio(createFile({ bits: 24, data: [9, 1, 2, 0, 0, 0x80] })).samples]).toEqual([0x0201, -32_768])
    expect([...readAudio(createFile({ bits: 32, data: [9, 9, 0xff, 0xff] })).samples]).toEqual([-1])
  })

  test('clips floating point at full scale and reads NaN as silence', () => {
    const floats = new Uint8Array(new Float32Array([0.5, -1, 2, -3, Number.NaN]).buffer)
    expect([...readAudio(createFile({ code: 3, bits: 32, data: [...floats] })).samples]).toEqual([
      16_384, -32_768, 32_767, -32_768, 0,
    ])
    const doubles = new Uint8Array(new Float64Array([-0.25]).buffer)
    expect([...readAudio(createFile({ code: 3, bits: 64, data: [...doubles] })).samples]).toEqual([-8_192])
  })

  test('skips unknown chunks, including padding', () => {
    const before = [...toBytes('LIST'), ...toLittleEndian(3, 4), 1, 2, 3, 0]
    expect([...readAudio(createFile({ before, data: [1, 0] })).samples]).toEqual([1])
  })
})

describe('parseWav rejects', () => {
  test.each([
    ['other files', new Uint8Array(toBytes('ID3 something else')), 'Not a WAV file.'],
    ['nothing', new Uint8Array(0), 'Not a WAV file.'],
    ['compressed audio', createFile({ code: 85, data: [] }), 'Format 85 is not supported: use PCM or floating point.'],
    ['unsupported sample sizes', createFile({ bits: 12, data: [] }), '12 bits per sample are not supported.'],
    ['no channels', createFile({ channels: 0, data: [] }), '0 channels are not supported.'],
    [
      'truncated samples',
      createFile({ data: [1, 0], dataSize: 10 }),
      'The file is truncated: 8 bytes of audio are missing.',
    ],
    ['half a sample', createFile({ data: [1, 0, 1] }), 'The data chunk ends within a sample.'],
    ['a truncated chunk', createFile({ data: [] }).subarray(0, 30), 'The file is truncated in its "fmt" chunk.'],
    ['a missing data chunk', createFile({ data: [] }).subarray(0, 36), 'The file is truncated before its data chunk.'],
  ])('%s', (_, file, problem) => {
    expect(getProblem(file)).toBe(problem)
  })

  test('a block size that contradicts the sample size', () => {
    expect(getProblem(createFile({ block: 3, data: [] }))).toContain('contradicts')
  })

  test('garbage without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        parseWav(bytes)
        parseWav(new Uint8Array([...toBytes('RIFF'), 0, 0, 0, 0, ...toBytes('WAVE'), ...bytes]))
        parseWav(new Uint8Array([...createFile({ data: [] }).subarray(0, 36), ...bytes]))
      }),
    )
  })
})

test('downmix averages channels', () => {
  expect([...downmix(new Int16Array([100, 200, -32_768, 32_767, 5, 5]), 2)]).toEqual([150, 0, 5])
  const mono = new Int16Array([1])
  expect(downmix(mono, 1)).toBe(mono)
})
