import { describe, expect, test } from 'vitest'
import { writeWav } from '../../../../../../testing/speech-server/wav-audio.ts'
import { createPcmReader } from './pcm-reader.ts'

const STANDARD_RATES_HZ = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const OTHER_RATES_HZ = [0, 1, 7_999, 8_001, 15_999, 44_101, 47_999, 48_001, 96_000, 192_000]

function fromWav(rateHz: number): Int16Array | null {
  return createPcmReader(16_000).push(writeWav({ samples: new Int16Array(rateHz), rateHz }))
}

function fromBare(rateHz: number): Int16Array | null {
  return createPcmReader(16_000, `audio/pcm;rate=${rateHz}`).push(Buffer.alloc(rateHz * 2))
}

describe('rates', () => {
  test.each(STANDARD_RATES_HZ)('%i Hz is understood', (rateHz) => {
    for (const samples of [fromWav(rateHz), fromBare(rateHz)]) {
      expect(Math.abs((samples?.length ?? 0) - 16_000)).toBeLessThan(40)
    }
  })

  test.each(OTHER_RATES_HZ)('%i Hz is no sound that is understood', (rateHz) => {
    expect(fromWav(rateHz)).toBeNull()
    expect(createPcmReader(16_000, `audio/pcm;rate=${rateHz}`).push(Buffer.alloc(2_000))).toBeNull()
  })

  test('24 kHz is taken where none is told', () => {
    expect(createPcmReader(24_000, 'audio/pcm').push(Buffer.alloc(2_000))).toHaveLength(1_000)
  })
})
