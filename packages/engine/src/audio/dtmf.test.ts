import { describe, expect, test } from 'vitest'
import { COLUMN_HZ, createDtmfDetector, createDtmfTone, ROW_HZ } from './dtmf.ts'
import {
  createBabble,
  createTone,
  createWhiteNoise,
  joinAudio,
  mixAudio,
  render,
  splitIntoFrames,
} from './generated-audio-test-kit.ts'

const KEYS = '123A456B789C*0#D'

function heardIn(samples: Int16Array, rateHz: number): string {
  const detector = createDtmfDetector({ rateHz })
  let keys = ''
  for (const frame of splitIntoFrames(samples, rateHz)) keys += detector.push(frame)
  return keys
}

function gap(durationMs: number, rateHz: number): Int16Array {
  return new Int16Array(Math.round((rateHz * durationMs) / 1000))
}

describe.each([8_000, 16_000])('at %i Hz', (rateHz) => {
  test('detects each key once, at any frame offset', () => {
    for (const shiftMs of [0, 3, 7, 11, 16]) {
      const parts = [...KEYS].flatMap((key) => [createDtmfTone(key, { rateHz, durationMs: 50 }), gap(51, rateHz)])
      expect(heardIn(joinAudio(gap(100 + shiftMs, rateHz), ...parts), rateHz)).toBe(KEYS)
    }
  })

  test('returns all keys of one push in order', () => {
    const parts = [...'1592'].flatMap((key) => [createDtmfTone(key, { rateHz, durationMs: 50 }), gap(51, rateHz)])
    const detector = createDtmfDetector({ rateHz })
    expect(detector.push(joinAudio(gap(100, rateHz), ...parts))).toBe('1592')
    expect(detector.push(gap(100, rateHz))).toBe('')
  })

  test('detects a 40 ms tone and ignores a 20 ms tone', () => {
    for (let shiftMs = 0; shiftMs < 20; shiftMs += 1) {
      const press = (durationMs: number) =>
        joinAudio(
          gap(60 + shiftMs, rateHz),
          render({ rateHz, durationMs, amplitude: 5_000 }, fiveKey),
          gap(100, rateHz),
        )
      expect(heardIn(press(40), rateHz)).toBe('5')
      expect(heardIn(press(20), rateHz)).toBe('')
    }
  })

  test('reports a held key once, and again after a pause of 40 ms', () => {
    const held = createDtmfTone('7', { rateHz, durationMs: 1_500 })
    expect(heardIn(joinAudio(held, gap(40, rateHz), held), rateHz)).toBe('77')
  })

  test('tolerates 1.5 % detuning and 6 dB of twist', () => {
    for (const [row, rowHz] of ROW_HZ.entries()) {
      for (const [column, columnHz] of COLUMN_HZ.entries()) {
        for (const detuned of [0.985, 1.015]) {
          for (const [low, high] of [[1, 2] as const, [2, 1] as const]) {
            const press = mixAudio(
              createTone({ rateHz, durationMs: 80, amplitude: 3_000 * low }, rowHz * detuned),
              createTone({ rateHz, durationMs: 80, amplitude: 3_000 * high }, columnHz * detuned),
            )
            expect(heardIn(joinAudio(gap(40, rateHz), press, gap(40, rateHz)), rateHz)).toBe(KEYS[row * 4 + column])
          }
        }
      }
    }
  })

  test('detects a key in noise 15 dB below', () => {
    const press = createDtmfTone('9', { rateHz, durationMs: 100 })
    const noise = createWhiteNoise({ rateHz, durationMs: 100, amplitude: 1_500 })
    expect(heardIn(joinAudio(gap(40, rateHz), mixAudio(press, noise), gap(40, rateHz)), rateHz)).toBe('9')
  })

  test('ignores single tones and tones that belong to no key', () => {
    const stretch = { rateHz, durationMs: 200, amplitude: 8_000 }
    expect(heardIn(createTone(stretch, 770), rateHz)).toBe('')
    expect(heardIn(mixAudio(createTone(stretch, 350), createTone(stretch, 440)), rateHz)).toBe('')
    expect(heardIn(mixAudio(createTone(stretch, 697), createTone(stretch, 770)), rateHz)).toBe('')
    expect(heardIn(mixAudio(createTone(stretch, 770), createTone({ ...stretch, amplitude: 800 }, 1_336)), rateHz)).toBe(
      '',
    )
  })
})

function fiveKey(seconds: number): number {
  return Math.sin(2 * Math.PI * 770 * seconds) + Math.sin(2 * Math.PI * 1_336 * seconds)
}

test('detects no key in five minutes of babble', () => {
  const stretch = { rateHz: 8_000, durationMs: 60_000, amplitude: 12_000 }
  for (let minute = 0; minute < 5; minute += 1) expect(heardIn(createBabble(stretch, 100 + minute), 8_000)).toBe('')
})

test('returns silence for unknown keys', () => {
  expect(createDtmfTone('x', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(createDtmfTone('', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(createDtmfTone('12', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
})
