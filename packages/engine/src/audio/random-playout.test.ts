import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNumberedSamples } from './generated-audio-test-kit.ts'
import { Playout } from './playout.ts'

const RATE = 8_000
const FRAME = 160

/** Creates a client that plays frames in order and drops its buffer on clear. */
function createReceiver() {
  const waiting: { startSample: number; frame: Int16Array; fades: boolean }[] = []
  const heard: { value: number; fades: boolean }[] = []
  let offset = 0
  let position = 0
  return {
    send: (startSample: number, frame: Int16Array, fades: boolean) => waiting.push({ startSample, frame, fades }),
    play(samples: number) {
      let left = samples
      for (let head = waiting[0]; head !== undefined && left > 0; head = waiting[0]) {
        const count = Math.min(left, head.frame.length - offset)
        for (const value of head.frame.subarray(offset, offset + count)) heard.push({ value, fades: head.fades })
        offset += count
        left -= count
        position = head.startSample + offset
        if (offset < head.frame.length) return
        waiting.shift()
        offset = 0
      }
    },
    clear() {
      waiting.length = 0
      offset = 0
    },
    position: () => position,
    heard,
  }
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('play' as const), count: fc.integer({ min: 1, max: 2_500 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 3_000 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('silence' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), count: fc.constant(0) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('report' as const), count: fc.constant(0) }) },
)

describe('random schedules', () => {
  test('lose and repeat no sample', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const playout = new Playout({ rateHz: RATE })
        const receiver = createReceiver()
        // Without text there is no word to rewind to: playback equals the input.
        playout.startUtterance('a', '')
        let said = 0
        let fades = false
        let heardBefore = 0
        const send = (count: number): void => {
          for (let index = 0; index < count; index += 1) {
            const next = playout.takeNextFrame()
            if (next === null) return
            receiver.send(next.startSample, next.frame, fades)
            fades = false
          }
        }
        const resume = (): void => {
          // The client reports its position before speech resumes.
          playout.recordPlayed(receiver.position())
          fades = playout.isPaused || fades
          playout.resume()
        }
        for (const { do: action, count } of steps) {
          if (action === 'send') send(count)
          if (action === 'play') receiver.play(count)
          if (action === 'append') {
            playout.append('a', createNumberedSamples(said, count))
            said += count
          }
          if (action === 'silence') {
            // Background audio after a pause plays after the client has reported its position.
            if (playout.isPaused) playout.recordPlayed(receiver.position())
            for (let index = 0; index < count; index += 1) {
              receiver.send(playout.recordSent(FRAME), new Int16Array(FRAME), false)
            }
          }
          if (action === 'pause') {
            playout.pause()
            receiver.clear()
          }
          if (action === 'resume') resume()
          if (action === 'report') playout.recordPlayed(receiver.position())
          const { heardSamples } = playout.getHeard('a')
          expect(heardSamples).toBeGreaterThanOrEqual(heardBefore)
          heardBefore = heardSamples
        }
        resume()
        playout.complete('a')
        send(10_000)
        receiver.play(1_000_000)
        playout.recordPlayed(receiver.position())
        expect(playout.isEmpty).toBe(true)
        expect(playout.getHeard('a').heardSamples).toBe(said)
        const spoken = receiver.heard.filter(({ value, fades: isFading }) => value !== 0 || isFading)
        let next = 0
        for (const { value, fades: isFading } of spoken) {
          const expected = 1_000 + (next % 20_000)
          if (!isFading) expect(value).toBe(expected)
          else expect(Math.abs(value)).toBeLessThanOrEqual(expected)
          // The last fading frame may be padded with silence.
          if (next < said) next += 1
        }
        expect(next).toBe(said)
      }),
      { numRuns: 300 },
    )
  })

  test('never shrink the heard text, which is always a prefix of the utterance', () => {
    const action = fc.constantFrom('send', 'play', 'report', 'pause', 'resume', 'begin', 'clear', 'complete')
    fc.assert(
      fc.property(fc.array(fc.tuple(action, fc.integer({ min: 1, max: 3_000 })), { maxLength: 100 }), (steps) => {
        const playout = new Playout({ rateHz: RATE })
        const receiver = createReceiver()
        const ids: string[] = []
        const ended: string[] = []
        const started: string[] = []
        const heardBefore = new Map<string, number>()
        for (const [action, count] of steps) {
          if (action === 'begin') {
            const id = `u${ids.length}`
            ids.push(id)
            playout.startUtterance(id, `${id} says some words.`)
            playout.append(id, createNumberedSamples(0, count))
          }
          if (action === 'complete') for (const id of ids) ended.push(...playout.complete(id).ended)
          if (action === 'send') {
            for (let index = 0; index < count / 300; index += 1) {
              const next = playout.takeNextFrame()
              if (next === null) break
              started.push(...next.started)
              receiver.send(next.startSample, next.frame, false)
            }
          }
          if (action === 'play') receiver.play(count)
          if (action === 'report') ended.push(...playout.recordPlayed(receiver.position()).ended)
          if (action === 'pause' || action === 'clear') {
            if (action === 'pause') playout.pause()
            else playout.clear()
            receiver.clear()
          }
          if (action === 'resume') playout.resume()
          for (const id of ids) {
            const heard = playout.getHeard(id)
            const words = heard.text === '' ? 0 : heard.text.split(' ').length
            expect(`${id} says some words.`.startsWith(heard.text)).toBe(true)
            expect(heard.heardSamples).toBeGreaterThanOrEqual(heardBefore.get(id) ?? 0)
            if (heard.complete) expect(words).toBe(4)
            heardBefore.set(id, heard.heardSamples)
          }
        }
        expect(new Set(ended).size).toBe(ended.length)
        expect(new Set(started).size).toBe(started.length)
        expect(playout.playedSamples).toBeLessThanOrEqual(playout.sentSamples)
      }),
      { numRuns: 200 },
    )
  })
})
