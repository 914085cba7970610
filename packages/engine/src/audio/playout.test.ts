import { describe, expect, test } from 'vitest'
import { createNumberedSamples } from './generated-audio-test-kit.ts'
import { Playout } from './playout.ts'

const RATE = 8_000
const FRAME = 160

/** Queues a complete utterance. */
function queueUtterance(playout: Playout, id: string, { text = '', samples = FRAME * 10 }): void {
  playout.startUtterance(id, text)
  playout.append(id, createNumberedSamples(0, samples))
  playout.complete(id)
}

function sendFrames(playout: Playout, count: number): void {
  for (let index = 0; index < count; index += 1) playout.takeNextFrame()
}

describe('playback', () => {
  test('sends utterances in order without gaps and ends them once played', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { samples: 200 })
    queueUtterance(playout, 'b', { samples: 200 })
    const firstFrame = playout.takeNextFrame()
    const secondFrame = playout.takeNextFrame()
    const thirdFrame = playout.takeNextFrame()
    expect([firstFrame?.started, secondFrame?.started, thirdFrame?.started]).toEqual([['a'], ['b'], []])
    expect([firstFrame?.startSample, secondFrame?.startSample, thirdFrame?.startSample]).toEqual([0, 160, 320])
    expect([...(secondFrame?.frame ?? [])]).toEqual([
      ...createNumberedSamples(160, 40),
      ...createNumberedSamples(0, 120),
    ])
    expect([...(thirdFrame?.frame ?? [])]).toEqual([...createNumberedSamples(120, 80), ...new Array(80).fill(0)])
    expect(playout.takeNextFrame()).toBeNull()
    expect(playout.recordPlayed(199).ended).toEqual([])
    expect(playout.recordPlayed(200).ended).toEqual(['a'])
    expect(playout.recordPlayed(480).ended).toEqual(['b'])
    expect(playout.isEmpty).toBe(true)
  })

  test('sends incomplete audio in whole frames', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'x')
    expect(playout.takeNextFrame()).toBeNull()
    playout.append('a', createNumberedSamples(0, 200))
    expect(playout.takeNextFrame()).not.toBeNull()
    expect(playout.takeNextFrame()).toBeNull()
    playout.append('a', createNumberedSamples(200, 120))
    expect([...(playout.takeNextFrame()?.frame ?? [])]).toEqual([...createNumberedSamples(160, 160)])
  })

  test('ends an utterance that is completed after it was played', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'x')
    playout.append('a', createNumberedSamples(0, 160))
    playout.takeNextFrame()
    expect(playout.recordPlayed(160).ended).toEqual([])
    expect(playout.complete('a').ended).toEqual(['a'])
    playout.startUtterance('empty', 'x')
    expect(playout.complete('empty').ended).toEqual(['empty'])
  })

  test('counts frames without speech in the stream position', () => {
    const playout = new Playout({ rateHz: RATE })
    expect(playout.recordSent(FRAME)).toBe(0)
    queueUtterance(playout, 'a', { samples: FRAME })
    expect(playout.takeNextFrame()?.startSample).toBe(FRAME)
    expect(playout.recordPlayed(FRAME).ended).toEqual([])
    expect(playout.getHeard('a').startSample).toBe(FRAME)
    expect(playout.recordPlayed(2 * FRAME).ended).toEqual(['a'])
  })
})

describe('pause', () => {
  test('withdraws unplayed audio and resumes at the start of the cut word with a fade', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { text: 'one two', samples: 1_600 })
    playout.addWords('a', [
      { text: 'one', startMs: 0, endMs: 50 },
      { text: 'two', startMs: 60, endMs: 200 },
    ])
    sendFrames(playout, 8)
    playout.recordPlayed(800)
    playout.pause()
    expect(playout.takeNextFrame()).toBeNull()
    expect(playout.getHeard('a')).toMatchObject({ text: 'one', complete: false, heardSamples: 800 })
    playout.resume()
    const frame = playout.takeNextFrame()
    expect(frame?.startSample).toBe(8 * FRAME)
    expect(frame?.started).toEqual([])
    expect(frame?.frame[0]).toBe(0)
    expect(frame?.frame[80]).toBe(Math.round((1_000 + 480 + 80) / 2))
    expect([...(playout.takeNextFrame()?.frame ?? [])]).toEqual([...createNumberedSamples(480 + FRAME, FRAME)])
  })

  test('counts a playback report that arrives after the pause', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { samples: 1_600 })
    sendFrames(playout, 6)
    playout.recordPlayed(160)
    playout.pause()
    playout.recordSent(FRAME)
    playout.recordPlayed(400)
    expect(playout.getHeard('a').heardSamples).toBe(400)
    playout.resume()
    expect(playout.takeNextFrame()?.frame[FRAME - 1]).toBeGreaterThan(1_000 + 400)
    // The receiver skips dropped samples.
    playout.recordPlayed(7 * FRAME + 10)
    expect(playout.getHeard('a').heardSamples).toBe(410)
  })

  test('counts a report from before the pause as heard without moving playback', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { samples: 1_600 })
    sendFrames(playout, 6)
    playout.recordPlayed(160)
    playout.pause()
    playout.resume()
    playout.takeNextFrame()
    playout.recordPlayed(700)
    expect(playout.getHeard('a').heardSamples).toBe(700)
    expect([...(playout.takeNextFrame()?.frame ?? [])]).toEqual([...createNumberedSamples(160 + FRAME, FRAME)])
    sendFrames(playout, 6)
    expect(playout.recordPlayed(playout.sentSamples - 1_440).ended).toEqual([])
    expect(playout.recordPlayed(playout.sentSamples - 160).ended).toEqual([])
    sendFrames(playout, 1)
    expect(playout.recordPlayed(playout.sentSamples).ended).toEqual(['a'])
  })

  test('rewinds at most 600 ms in total, however often it resumes', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { text: 'Llanfairpwllgwyngyll', samples: RATE * 2 })
    sendFrames(playout, 80)
    playout.recordPlayed(80 * FRAME)
    for (let round = 0; round < 3; round += 1) {
      playout.pause()
      playout.resume()
      expect(playout.queuedSamples).toBe(RATE * 2 - 80 * FRAME + 0.6 * RATE)
    }
    playout.takeNextFrame()
    expect([...(playout.takeNextFrame()?.frame ?? [])]).toEqual([
      ...createNumberedSamples(81 * FRAME - 0.6 * RATE, FRAME),
    ])
  })

  test('drops queued audio on clear but keeps the heard text', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { text: 'first words', samples: 1_600 })
    queueUtterance(playout, 'b', { text: 'never heard', samples: 1_600 })
    sendFrames(playout, 12)
    playout.recordPlayed(1_600)
    playout.clear()
    expect(playout.recordPlayed(1_920).ended).toEqual([])
    expect(playout.takeNextFrame()).toBeNull()
    expect(playout.getHeard('a')).toMatchObject({ text: 'first words', complete: true, heardSamples: 1_600 })
    expect(playout.getHeard('b')).toMatchObject({ text: '', complete: false, heardSamples: 320 })
    playout.append('b', createNumberedSamples(0, 500))
    expect(playout.queuedSamples).toBe(0)
  })
})

describe('heard speech', () => {
  test("follows the vendor's word times and returns the full text once the caller heard everything", () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { text: 'Call 911, now!', samples: 2_400 })
    playout.addWords('a', [
      { text: 'Call', startMs: 0, endMs: 100 },
      { text: '911,', startMs: 100, endMs: 220 },
      { text: 'now!', startMs: 220, endMs: 330 },
    ])
    sendFrames(playout, 15)
    playout.recordPlayed(1_759)
    expect(playout.getHeard('a').text).toBe('Call')
    playout.recordPlayed(1_760)
    expect(playout.getHeard('a').text).toBe('Call 911,')
    playout.recordPlayed(2_400)
    expect(playout.getHeard('a')).toMatchObject({ text: 'Call 911, now!', complete: true })
    expect(playout.getHeard('a').words).toHaveLength(3)
  })

  test('is estimated from characters and audible audio without word times', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'aaaa bbbb cccc dddd')
    playout.append('a', new Int16Array(800))
    playout.append('a', createNumberedSamples(0, 3_200))
    playout.append('a', new Int16Array(800))
    playout.complete('a')
    sendFrames(playout, 30)
    playout.recordPlayed(800 + 1_280)
    expect(playout.getHeard('a').text).toBe('aaaa')
    playout.recordPlayed(800 + 1_440)
    expect(playout.getHeard('a').text).toBe('aaaa bbbb')
    expect(playout.getHeard('a').words[0]).toMatchObject({ text: 'aaaa', startMs: 100 })
  })

  test('is estimated from characters in scripts without spaces', () => {
    const playout = new Playout({ rateHz: RATE })
    queueUtterance(playout, 'a', { text: '周末，我们休息。', samples: RATE })
    sendFrames(playout, 50)
    playout.recordPlayed(RATE / 2)
    expect(playout.getHeard('a').text).toMatch(/^周末，我?$/)
  })

  test('does not overestimate an utterance whose audio is still arriving', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'This is quite a long sentence, whose sound comes slowly.')
    playout.append('a', createNumberedSamples(0, 3_200))
    sendFrames(playout, 20)
    playout.recordPlayed(3_200)
    const heardWordCount = playout.getHeard('a').text.split(' ').length
    expect(heardWordCount).toBeGreaterThanOrEqual(1)
    expect(heardWordCount).toBeLessThanOrEqual(2)
  })

  test('keeps only the most recent utterances', () => {
    const playout = new Playout({ rateHz: RATE })
    for (let index = 0; index < 200; index += 1) {
      queueUtterance(playout, `u${index}`, { text: 'word', samples: FRAME })
      playout.takeNextFrame()
      playout.recordPlayed(playout.sentSamples)
    }
    const heardTexts = Array.from({ length: 200 }, (_, index) => playout.getHeard(`u${index}`).text)
    expect(heardTexts).toEqual([...Array(72).fill(''), ...Array(128).fill('word')])
  })
})
