import { describe, expect, test } from 'vitest'
import { numbered } from './generated-audio-test-kit.ts'
import { Playout } from './playout.ts'

const RATE = 8_000
const FRAME = 160

/** Queues a complete utterance. */
function say(playout: Playout, id: string, { text = '', samples = FRAME * 10 }): void {
  playout.startUtterance(id, text)
  playout.append(id, numbered(0, samples))
  playout.complete(id)
}

function sendFrames(playout: Playout, count: number): void {
  for (let index = 0; index < count; index += 1) playout.nextFrame()
}

describe('playback', () => {
  test('sends utterances in order without gaps and ends them once played', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { samples: 200 })
    say(playout, 'b', { samples: 200 })
    const first = playout.nextFrame()
    const second = playout.nextFrame()
    const third = playout.nextFrame()
    expect([first?.started, second?.started, third?.started]).toEqual([['a'], ['b'], []])
    expect([first?.startSample, second?.startSample, third?.startSample]).toEqual([0, 160, 320])
    expect([...(second?.frame ?? [])]).toEqual([...numbered(160, 40), ...numbered(0, 120)])
    expect([...(third?.frame ?? [])]).toEqual([...numbered(120, 80), ...new Array(80).fill(0)])
    expect(playout.nextFrame()).toBeNull()
    expect(playout.played(199).ended).toEqual([])
    expect(playout.played(200).ended).toEqual(['a'])
    expect(playout.played(480).ended).toEqual(['b'])
    expect(playout.isEmpty).toBe(true)
  })

  test('sends incomplete audio in whole frames', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'x')
    expect(playout.nextFrame()).toBeNull()
    playout.append('a', numbered(0, 200))
    expect(playout.nextFrame()).not.toBeNull()
    expect(playout.nextFrame()).toBeNull()
    playout.append('a', numbered(200, 120))
    expect([...(playout.nextFrame()?.frame ?? [])]).toEqual([...numbered(160, 160)])
  })

  test('ends an utterance that is completed after it was played', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'x')
    playout.append('a', numbered(0, 160))
    playout.nextFrame()
    expect(playout.played(160).ended).toEqual([])
    expect(playout.complete('a').ended).toEqual(['a'])
    playout.startUtterance('empty', 'x')
    expect(playout.complete('empty').ended).toEqual(['empty'])
  })

  test('counts frames without speech in the stream position', () => {
    const playout = new Playout({ rateHz: RATE })
    expect(playout.recordSent(FRAME)).toBe(0)
    say(playout, 'a', { samples: FRAME })
    expect(playout.nextFrame()?.startSample).toBe(FRAME)
    expect(playout.played(FRAME).ended).toEqual([])
    expect(playout.heard('a').startSample).toBe(FRAME)
    expect(playout.played(2 * FRAME).ended).toEqual(['a'])
  })
})

describe('pause', () => {
  test('withdraws unplayed audio and resumes at the start of the cut word with a fade', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { text: 'one two', samples: 1_600 })
    playout.addWords('a', [
      { text: 'one', startMs: 0, endMs: 50 },
      { text: 'two', startMs: 60, endMs: 200 },
    ])
    sendFrames(playout, 8)
    playout.played(800)
    playout.pause()
    expect(playout.nextFrame()).toBeNull()
    expect(playout.heard('a')).toMatchObject({ text: 'one', complete: false, heardSamples: 800 })
    playout.resume()
    const frame = playout.nextFrame()
    expect(frame?.startSample).toBe(8 * FRAME)
    expect(frame?.started).toEqual([])
    expect(frame?.frame[0]).toBe(0)
    expect(frame?.frame[80]).toBe(Math.round((1_000 + 480 + 80) / 2))
    expect([...(playout.nextFrame()?.frame ?? [])]).toEqual([...numbered(480 + FRAME, FRAME)])
  })

  test('accepts a playback report that arrives after the pause', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { samples: 1_600 })
    sendFrames(playout, 6)
    playout.played(160)
    playout.pause()
    playout.recordSent(FRAME)
    playout.played(400)
    expect(playout.heard('a').heardSamples).toBe(400)
    playout.resume()
    expect(playout.nextFrame()?.frame[FRAME - 1]).toBeGreaterThan(1_000 + 400)
    // The receiver skips dropped samples.
    playout.played(7 * FRAME + 10)
    expect(playout.heard('a').heardSamples).toBe(410)
  })

  test('counts a late report from before the pause as heard without moving playback', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { samples: 1_600 })
    sendFrames(playout, 6)
    playout.played(160)
    playout.pause()
    playout.resume()
    playout.nextFrame()
    playout.played(700)
    expect(playout.heard('a').heardSamples).toBe(700)
    expect([...(playout.nextFrame()?.frame ?? [])]).toEqual([...numbered(160 + FRAME, FRAME)])
    sendFrames(playout, 6)
    expect(playout.played(playout.sentSamples - 1_440).ended).toEqual([])
    expect(playout.played(playout.sentSamples - 160).ended).toEqual([])
    sendFrames(playout, 1)
    expect(playout.played(playout.sentSamples).ended).toEqual(['a'])
  })

  test('rewinds at most 600 ms in total, however often it resumes', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { text: 'Llanfairpwllgwyngyll', samples: RATE * 2 })
    sendFrames(playout, 80)
    playout.played(80 * FRAME)
    for (let round = 0; round < 3; round += 1) {
      playout.pause()
      playout.resume()
      expect(playout.queuedSamples).toBe(RATE * 2 - 80 * FRAME + 0.6 * RATE)
    }
    playout.nextFrame()
    expect([...(playout.nextFrame()?.frame ?? [])]).toEqual([...numbered(81 * FRAME - 0.6 * RATE, FRAME)])
  })

  test('drops queued audio on clear and keeps what was heard', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { text: 'first words', samples: 1_600 })
    say(playout, 'b', { text: 'never heard', samples: 1_600 })
    sendFrames(playout, 12)
    playout.played(1_600)
    playout.clear()
    expect(playout.played(1_920).ended).toEqual([])
    expect(playout.nextFrame()).toBeNull()
    expect(playout.heard('a')).toMatchObject({ text: 'first words', complete: true, heardSamples: 1_600 })
    expect(playout.heard('b')).toMatchObject({ text: '', complete: false, heardSamples: 320 })
    playout.append('b', numbered(0, 500))
    expect(playout.queuedSamples).toBe(0)
  })
})

describe('heard speech', () => {
  test("follows the vendor's word times and returns the full text once all was heard", () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { text: 'Call 911, now!', samples: 2_400 })
    playout.addWords('a', [
      { text: 'Call', startMs: 0, endMs: 100 },
      { text: '911,', startMs: 100, endMs: 220 },
      { text: 'now!', startMs: 220, endMs: 330 },
    ])
    sendFrames(playout, 15)
    playout.played(1_759)
    expect(playout.heard('a').text).toBe('Call')
    playout.played(1_760)
    expect(playout.heard('a').text).toBe('Call 911,')
    playout.played(2_400)
    expect(playout.heard('a')).toMatchObject({ text: 'Call 911, now!', complete: true })
    expect(playout.heard('a').words).toHaveLength(3)
  })

  test('is estimated by characters between the first and the last sound without word times', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'aaaa bbbb cccc dddd')
    playout.append('a', new Int16Array(800))
    playout.append('a', numbered(0, 3_200))
    playout.append('a', new Int16Array(800))
    playout.complete('a')
    sendFrames(playout, 30)
    playout.played(800 + 1_280)
    expect(playout.heard('a').text).toBe('aaaa')
    playout.played(800 + 1_440)
    expect(playout.heard('a').text).toBe('aaaa bbbb')
    expect(playout.heard('a').words[0]).toMatchObject({ text: 'aaaa', startMs: 100 })
  })

  test('is estimated by characters in scripts without spaces', () => {
    const playout = new Playout({ rateHz: RATE })
    say(playout, 'a', { text: '周末，我们休息。', samples: RATE })
    sendFrames(playout, 50)
    playout.played(RATE / 2)
    expect(playout.heard('a').text).toMatch(/^周末，我?$/)
  })

  test('does not overestimate an utterance whose audio is still arriving', () => {
    const playout = new Playout({ rateHz: RATE })
    playout.startUtterance('a', 'This is quite a long sentence, whose sound comes slowly.')
    playout.append('a', numbered(0, 3_200))
    sendFrames(playout, 20)
    playout.played(3_200)
    const heard = playout.heard('a').text.split(' ').length
    expect(heard).toBeGreaterThanOrEqual(1)
    expect(heard).toBeLessThanOrEqual(2)
  })

  test('remembers only the last utterances', () => {
    const playout = new Playout({ rateHz: RATE })
    for (let index = 0; index < 200; index += 1) {
      say(playout, `u${index}`, { text: 'word', samples: FRAME })
      playout.nextFrame()
      playout.played(playout.sentSamples)
    }
    const heard = Array.from({ length: 200 }, (_, index) => playout.heard(`u${index}`).text)
    expect(heard).toEqual([...Array(72).fill(''), ...Array(128).fill('word')])
  })
})
