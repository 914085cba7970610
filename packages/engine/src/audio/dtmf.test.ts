import { describe, expect, test } from 'vitest'
import { COLUMN_HZ, createDtmfDetector, createDtmfTone, ROW_HZ } from './dtmf.ts'
import {
  createBabble,
  createTone,
  createWhiteNoise,
  joinAudio,
  mixAudio,
  renderWave,
  splitIntoFrames,
} from './generated-audio-test-kit.ts'

const KEYS = '123A456B789C*0#D'

function detectKeys(samples: Int16Array, rateHz: number): string {
  const detector = createDtmfDetector({ rateHz })
  let keys = ''
  for (const frame of splitIntoFrames(samples, rateHz)) keys += detector.push(frame)
  return keys
}

function createSilence(durationMs: number, rateHz: number): Int16Array {
  return new Int16Array(Math.round((rateHz * durationMs) / 1000))
}

describe.each([8_000, 16_000])('at %i Hz', (rateHz) => {
  test('detects each key once, at any frame offset', () => {
    for (const shiftMs of [0, 3, 7, 11, 16]) {
      const parts = [...KEYS].flatMap((key) => [
        createDtmfTone(key, { rateHz, durationMs: 50 }),
        createSilence(51, rateHz),
      ])
      expect(detectKeys(joinAudio(createSilence(100 + shiftMs, rateHz), ...parts), rateHz)).toBe(KEYS)
    }
  })

  test('returns all keys of one push in order', () => {
    const parts = [...'1592'].flatMap((key) => [
      createDtmfTone(key, { rateHz, durationMs: 50 }),
      createSilence(51, rateHz),
    ])
    const detector = createDtmfDetector({ rateHz })
    expect(detector.push(joinAudio(createSilence(100, rateHz), ...parts))).toBe('1592')
    expect(detector.push(createSilence(100, rateHz))).toBe('')
  })

  test('detects a 40 ms tone and ignores a 20 ms tone', () => {
    for (let shiftMs = 0; shiftMs < 20; shiftMs += 1) {
      const press = (durationMs: number) =>
        joinAudio(
          createSilence(60 + shiftMs, rateHz),
          renderWave({ rateHz, durationMs, amplitude: 5_000 }, sampleFiveKey),
          createSilence(100, rateHz),
        )
      expect(detectKeys(press(40), rateHz)).toBe('5')
      expect(detectKeys(press(20), rateHz)).toBe('')
    }
  })

  test('reports a held key once, and again after a pause of 40 ms', () => {
    const heldTone = createDtmfTone('7', { rateHz, durationMs: 1_500 })
    expect(detectKeys(joinAudio(heldTone, createSilence(40, rateHz), heldTone), rateHz)).toBe('77')
  })

  test('tolerates 1.5 % detuning and 6 dB of twist', () => {
    for (const [row, rowHz] of ROW_HZ.entries()) {
      for (const [column, columnHz] of COLUMN_HZ.entries()) {
        for (const detuning of [0.985, 1.015]) {
          for (const [lowGain, highGain] of [[1, 2] as const, [2, 1] as const]) {
            const press = mixAudio(
              createTone({ rateHz, durationMs: 80, amplitude: 3_000 * lowGain }, rowHz * detuning),
              createTone({ rateHz, durationMs: 80, amplitude: 3_000 * highGain }, columnHz * detuning),
            )
            expect(detectKeys(joinAudio(createSilence(40, rateHz), press, createSilence(40, rateHz)), rateHz)).toBe(
              KEYS[row * 4 + column],
            )
          }
        }
      }
    }
  })

  test('detects a key in noise 15 dB below', () => {
    const press = createDtmfTone('9', { rateHz, durationMs: 100 })
    const noise = createWhiteNoise({ rateHz, durationMs: 100, amplitude: 1_500 })
    expect(
      detectKeys(joinAudio(createSilence(40, rateHz), mixAudio(press, noise), createSilence(40, rateHz)), rateHz),
    ).toBe('9')
  })

  test('ignores single tones and tones that belong to no key', () => {
    const toneOptions = { rateHz, durationMs: 200, amplitude: 8_000 }
    expect(detectKeys(createTone(toneOptions, 770), rateHz)).toBe('')
    expect(detectKeys(mixAudio(createTone(toneOptions, 350), createTone(toneOptions, 440)), rateHz)).toBe('')
    expect(detectKeys(mixAudio(createTone(toneOptions, 697), createTone(toneOptions, 770)), rateHz)).toBe('')
    expect(
      detectKeys(mixAudio(createTone(toneOptions, 770), createTone({ ...toneOptions, amplitude: 800 }, 1_336)), rateHz),
    ).toBe('')
  })
})

function sampleFiveKey(seconds: number): number {
  return Math.sin(2 * Math.PI * 770 * seconds) + Math.sin(2 * Math.PI * 1_336 * seconds)
}

test('detects no key in five minutes of babble', () => {
  const babbleOptions = { rateHz: 8_000, durationMs: 60_000, amplitude: 12_000 }
  for (let minute = 0; minute < 5; minute += 1)
    expect(detectKeys(createBabble(babbleOptions, 100 + minute), 8_000)).toBe('')
})

test('creates silence for unknown keys', () => {
  expect(createDtmfTone('x', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(createDtmfTone('', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(createDtmfTone('12', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
})
