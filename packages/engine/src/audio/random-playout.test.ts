import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNumberedSamples } from './generated-audio-test-kit.ts'
import { Playout } from './playout.ts'

const RATE = 8_000
const FRAME = 160

/** Creates a client that plays frames in order and drops its buffer on clear. */
function createReceiver() {
  const bufferedFrames: { startSample: number; frame: Int16Array; isFading: boolean }[] = []
  const playedSamples: { value: number; isFading: boolean }[] = []
  let offset = 0
  let position = 0
  return {
    send: (startSample: number, frame: Int16Array, isFading: boolean) =>
      bufferedFrames.push({ startSample, frame, isFading: isFading }),
    play(samples: number) {
      let samplesLeft = samples
      for (let frame = bufferedFrames[0]; frame !== undefined && samplesLeft > 0; frame = bufferedFrames[0]) {
        const count = Math.min(samplesLeft, frame.frame.length - offset)
        for (const value of frame.frame.subarray(offset, offset + count))
          playedSamples.push({ value, isFading: frame.isFading })
        offset += count
        samplesLeft -= count
        position = frame.startSample + offset
        if (offset < frame.frame.length) return
        bufferedFrames.shift()
        offset = 0
      }
    },
    clear() {
      bufferedFrames.length = 0
      offset = 0
    },
    getPosition: () => position,
    playedSamples,
  }
}

const stepArbitrary = fc.oneof(
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
      fc.property(fc.array(stepArbitrary, { maxLength: 80 }), (steps) => {
        const playout = new Playout({ rateHz: RATE })
        const receiver = createReceiver()
        // Without text there is no word to rewind to: playback equals the input.
        playout.startUtterance('a', '')
        let appendedSamples = 0
        let fades = false
        let previousHeard = 0
        const send = (count: number): void => {
          for (let index = 0; index < count; index += 1) {
            const speechFrame = playout.takeNextFrame()
            if (speechFrame === null) return
            receiver.send(speechFrame.startSample, speechFrame.frame, fades)
            fades = false
          }
        }
        const resume = (): void => {
          // The client reports its position before speech resumes.
          playout.recordPlayed(receiver.getPosition())
          fades = playout.isPaused || fades
          playout.resume()
        }
        for (const { do: action, count } of steps) {
          if (action === 'send') send(count)
          if (action === 'play') receiver.play(count)
          if (action === 'append') {
            playout.append('a', createNumberedSamples(appendedSamples, count))
            appendedSamples += count
          }
          if (action === 'silence') {
            // Background audio after a pause plays after the client has reported its position.
            if (playout.isPaused) playout.recordPlayed(receiver.getPosition())
            for (let index = 0; index < count; index += 1) {
              receiver.send(playout.recordSent(FRAME), new Int16Array(FRAME), false)
            }
          }
          if (action === 'pause') {
            playout.pause()
            receiver.clear()
          }
          if (action === 'resume') resume()
          if (action === 'report') playout.recordPlayed(receiver.getPosition())
          const { heardSamples } = playout.getHeard('a')
          expect(heardSamples).toBeGreaterThanOrEqual(previousHeard)
          previousHeard = heardSamples
        }
        resume()
        playout.complete('a')
        send(10_000)
        receiver.play(1_000_000)
        playout.recordPlayed(receiver.getPosition())
        expect(playout.isEmpty).toBe(true)
        expect(playout.getHeard('a').heardSamples).toBe(appendedSamples)
        const speechSamples = receiver.playedSamples.filter(({ value, isFading }) => value !== 0 || isFading)
        let sampleIndex = 0
        for (const { value, isFading } of speechSamples) {
          const expectedValue = 1_000 + (sampleIndex % 20_000)
          if (!isFading) expect(value).toBe(expectedValue)
          else expect(Math.abs(value)).toBeLessThanOrEqual(expectedValue)
          // The last fading frame may be padded with silence.
          if (sampleIndex < appendedSamples) sampleIndex += 1
        }
        expect(sampleIndex).toBe(appendedSamples)
      }),
      { numRuns: 300 },
    )
  })

  test('never shorten the heard text, which is always a prefix of the utterance', () => {
    const actionArbitrary = fc.constantFrom('send', 'play', 'report', 'pause', 'resume', 'begin', 'clear', 'complete')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(actionArbitrary, fc.integer({ min: 1, max: 3_000 })), { maxLength: 100 }),
        (steps) => {
          const playout = new Playout({ rateHz: RATE })
          const receiver = createReceiver()
          const ids: string[] = []
          const ended: string[] = []
          const started: string[] = []
          const heardById = new Map<string, number>()
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
                const speechFrame = playout.takeNextFrame()
                if (speechFrame === null) break
                started.push(...speechFrame.started)
                receiver.send(speechFrame.startSample, speechFrame.frame, false)
              }
            }
            if (action === 'play') receiver.play(count)
            if (action === 'report') ended.push(...playout.recordPlayed(receiver.getPosition()).ended)
            if (action === 'pause' || action === 'clear') {
              if (action === 'pause') playout.pause()
              else playout.clear()
              receiver.clear()
            }
            if (action === 'resume') playout.resume()
            for (const id of ids) {
              const heard = playout.getHeard(id)
              const wordCount = heard.text === '' ? 0 : heard.text.split(' ').length
              expect(`${id} says some words.`.startsWith(heard.text)).toBe(true)
              expect(heard.heardSamples).toBeGreaterThanOrEqual(heardById.get(id) ?? 0)
              if (heard.complete) expect(wordCount).toBe(4)
              heardById.set(id, heard.heardSamples)
            }
          }
          expect(new Set(ended).size).toBe(ended.length)
          expect(new Set(started).size).toBe(started.length)
          expect(playout.playedSamples).toBeLessThanOrEqual(playout.sentSamples)
        },
      ),
      { numRuns: 200 },
    )
  })
})
