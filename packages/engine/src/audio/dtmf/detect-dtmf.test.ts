import { describe, expect, test } from 'vitest'
import { babble, framesOf, joined, mixed, render, tone, whiteNoise } from '../generated-audio-test-kit.ts'
import { createDtmfDetector } from './detect-dtmf.ts'
import { COLUMN_HZ, dtmfTone, ROW_HZ } from './dtmf-tones.ts'

const KEYS = '123A456B789C*0#D'

function heardIn(samples: Int16Array, rateHz: number): string {
  const detector = createDtmfDetector({ rateHz })
  let keys = ''
  for (const frame of framesOf(samples, rateHz)) keys += detector.push(frame)
  return keys
}

function gap(durationMs: number, rateHz: number): Int16Array {
  return new Int16Array(Math.round((rateHz * durationMs) / 1000))
}

describe.each([8_000, 16_000])('at %i Hz', (rateHz) => {
  test('every key is heard once, however it lies in the frames', () => {
    for (const shiftMs of [0, 3, 7, 11, 16]) {
      const parts = [...KEYS].flatMap((key) => [dtmfTone(key, { rateHz, durationMs: 50 }), gap(51, rateHz)])
      expect(heardIn(joined(gap(100 + shiftMs, rateHz), ...parts), rateHz)).toBe(KEYS)
    }
  })

  test('all keys of one push are heard, in their order', () => {
    const parts = [...'1592'].flatMap((key) => [dtmfTone(key, { rateHz, durationMs: 50 }), gap(51, rateHz)])
    const detector = createDtmfDetector({ rateHz })
    expect(detector.push(joined(gap(100, rateHz), ...parts))).toBe('1592')
    expect(detector.push(gap(100, rateHz))).toBe('')
  })

  test('40 ms are enough, 20 ms are not', () => {
    for (let shiftMs = 0; shiftMs < 20; shiftMs += 1) {
      const press = (durationMs: number) =>
        joined(gap(60 + shiftMs, rateHz), render({ rateHz, durationMs, amplitude: 5_000 }, fiveKey), gap(100, rateHz))
      expect(heardIn(press(40), rateHz)).toBe('5')
      expect(heardIn(press(20), rateHz)).toBe('')
    }
  })

  test('a key that is held is one key; the same key again after a pause of 40 ms is another one', () => {
    const held = dtmfTone('7', { rateHz, durationMs: 1_500 })
    expect(heardIn(joined(held, gap(40, rateHz), held), rateHz)).toBe('77')
  })

  test('out of tune by 1.5 %, and one tone stronger than the other by 6 dB', () => {
    for (const [row, rowHz] of ROW_HZ.entries()) {
      for (const [column, columnHz] of COLUMN_HZ.entries()) {
        for (const detuned of [0.985, 1.015]) {
          for (const [low, high] of [[1, 2] as const, [2, 1] as const]) {
            const press = mixed(
              tone({ rateHz, durationMs: 80, amplitude: 3_000 * low }, rowHz * detuned),
              tone({ rateHz, durationMs: 80, amplitude: 3_000 * high }, columnHz * detuned),
            )
            expect(heardIn(joined(gap(40, rateHz), press, gap(40, rateHz)), rateHz)).toBe(KEYS[row * 4 + column])
          }
        }
      }
    }
  })

  test('over noise 15 dB below', () => {
    const press = dtmfTone('9', { rateHz, durationMs: 100 })
    const noise = whiteNoise({ rateHz, durationMs: 100, amplitude: 1_500 })
    expect(heardIn(joined(gap(40, rateHz), mixed(press, noise), gap(40, rateHz)), rateHz)).toBe('9')
  })

  test('one tone alone, and tones that belong to no key, are none', () => {
    const stretch = { rateHz, durationMs: 200, amplitude: 8_000 }
    expect(heardIn(tone(stretch, 770), rateHz)).toBe('')
    expect(heardIn(mixed(tone(stretch, 350), tone(stretch, 440)), rateHz)).toBe('')
    expect(heardIn(mixed(tone(stretch, 697), tone(stretch, 770)), rateHz)).toBe('')
    expect(heardIn(mixed(tone(stretch, 770), tone({ ...stretch, amplitude: 800 }, 1_336)), rateHz)).toBe('')
  })
})

function fiveKey(seconds: number): number {
  return Math.sin(2 * Math.PI * 770 * seconds) + Math.sin(2 * Math.PI * 1_336 * seconds)
}

test('five minutes of something like speech hold no key', () => {
  const stretch = { rateHz: 8_000, durationMs: 60_000, amplitude: 12_000 }
  for (let minute = 0; minute < 5; minute += 1) expect(heardIn(babble(stretch, 100 + minute), 8_000)).toBe('')
})

test('what is no key has no sound', () => {
  expect(dtmfTone('x', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(dtmfTone('', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
  expect(dtmfTone('12', { rateHz: 8_000, durationMs: 10 })).toEqual(new Int16Array(80))
})
