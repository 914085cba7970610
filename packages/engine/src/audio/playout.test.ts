import { describe, expect, test } from 'vitest'
import { numbered } from './generated-audio-test-kit.ts'
import { createPlayout, type Playout } from './playout.ts'

const RATE = 8_000
const FRAME = 160

/** Queues a whole utterance. */
function say(playout: Playout, id: string, { text = '', samples = FRAME * 10, generation = 1 }): void {
  playout.startUtterance(id, { generation, text })
  playout.append(id, numbered(0, samples))
  playout.complete(id)
}

function sendFrames(playout: Playout, count: number): void {
  for (let index = 0; index < count; index += 1) playout.nextFrame()
}

describe('playing', () => {
  test('utterances leave in order, without a gap between them, and end when they were played', () => {
    const playout = createPlayout({ rateHz: RATE })
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

  test('sound that is still coming leaves in whole frames; a stall in the middle counts once', () => {
    const playout = createPlayout({ rateHz: RATE })
    playout.startUtterance('a', { generation: 1, text: 'x' })
    expect(playout.nextFrame()).toBeNull()
    expect(playout.underruns).toBe(0)
    playout.append('a', numbered(0, 200))
    expect(playout.nextFrame()).not.toBeNull()
    expect(playout.nextFrame()).toBeNull()
    expect(playout.nextFrame()).toBeNull()
    expect(playout.underruns).toBe(1)
    playout.append('a', numbered(200, 120))
    expect([...(playout.nextFrame()?.frame ?? [])]).toEqual([...numbered(160, 160)])
  })

  test('an utterance whose end is known only after it was played ends then', () => {
    const playout = createPlayout({ rateHz: RATE })
    playout.startUtterance('a', { generation: 1, text: 'x' })
    playout.append('a', numbered(0, 160))
    playout.nextFrame()
    expect(playout.played(160).ended).toEqual([])
    expect(playout.complete('a').ended).toEqual(['a'])
    playout.startUtterance('empty', { generation: 1, text: 'x' })
    expect(playout.complete('empty').ended).toEqual(['empty'])
  })

  test('frames without speech have their place in the stream', () => {
    const playout = createPlayout({ rateHz: RATE })
    expect(playout.recordSent(FRAME)).toBe(0)
    say(playout, 'a', { samples: FRAME })
    expect(playout.nextFrame()?.startSample).toBe(FRAME)
    expect(playout.played(FRAME).ended).toEqual([])
    expect(playout.heard('a').startSample).toBe(FRAME)
    expect(playout.played(2 * FRAME).ended).toEqual(['a'])
  })

  test('ducking reaches its loudness within a frame', () => {
    const playout = createPlayout({ rateHz: RATE })
    playout.startUtterance('a', { generation: 1, text: 'x' })
    playout.append('a', new Int16Array(4 * FRAME).fill(10_000))
    playout.nextFrame()
    playout.duck(0.2)
    const ramp = playout.nextFrame()?.frame ?? new Int16Array(0)
    const steady = playout.nextFrame()?.frame ?? new Int16Array(0)
    expect(ramp[0]).toBe(10_000)
    expect(ramp[FRAME - 1]).toBeLessThan(2_100)
    expect(new Set(steady)).toEqual(new Set([2_000]))
  })
})

describe('pausing', () => {
  test('takes back what was sent and not played, and goes on at the start of the cut word with a fade', () => {
    const playout = createPlayout({ rateHz: RATE })
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

  test('the line may tell later how far it came before it was cleared', () => {
    const playout = createPlayout({ rateHz: RATE })
    say(playout, 'a', { samples: 1_600 })
    sendFrames(playout, 6)
    playout.played(160)
    playout.pause()
    playout.recordSent(FRAME)
    playout.played(400)
    expect(playout.heard('a').heardSamples).toBe(400)
    playout.resume()
    expect(playout.nextFrame()?.frame[FRAME - 1]).toBeGreaterThan(1_000 + 400)
    // The line jumps over what it dropped.
    playout.played(7 * FRAME + 10)
    expect(playout.heard('a').heardSamples).toBe(410)
  })

  test('what the line tells of the time before the pause too late counts as heard and moves nothing', () => {
    const playout = createPlayout({ rateHz: RATE })
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

  test('goes back 600 ms at most, however often', () => {
    const playout = createPlayout({ rateHz: RATE })
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

  test('clearing forgets what waits, and keeps what was heard', () => {
    const playout = createPlayout({ rateHz: RATE })
    say(playout, 'a', { text: 'first words', samples: 1_600 })
    say(playout, 'b', { text: 'never heard', samples: 1_600 })
    sendFrames(playout, 12)
    playout.played(1_600)
    playout.clear()
    expect(playout.played(1_920).ended).toEqual([])
    expect(playout.nextFrame()).toBeNull()
    expect(playout.heard(1)).toMatchObject({ complete: false, heardSamples: 1_920 })
    expect(playout.heard(1).text).toBe('first words')
    playout.append('b', numbered(0, 500))
    expect(playout.queuedSamples).toBe(0)
  })
})

describe('what was heard', () => {
  test('follows the provider’s times, and is the written text once all was heard', () => {
    const playout = createPlayout({ rateHz: RATE })
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

  test('is estimated by characters between first and last sound where no times are known', () => {
    const playout = createPlayout({ rateHz: RATE })
    playout.startUtterance('a', { generation: 3, text: 'aaaa bbbb cccc dddd' })
    playout.append('a', new Int16Array(800))
    playout.append('a', numbered(0, 3_200))
    playout.append('a', new Int16Array(800))
    playout.complete('a')
    sendFrames(playout, 30)
    playout.played(800 + 1_280)
    expect(playout.heard(3).text).toBe('aaaa')
    playout.played(800 + 1_440)
    expect(playout.heard(3).text).toBe('aaaa bbbb')
    expect(playout.heard('a').words[0]).toMatchObject({ text: 'aaaa', startMs: 100 })
  })

  test('is estimated by characters, too, where a whole clause is written without spaces', () => {
    const playout = createPlayout({ rateHz: RATE })
    say(playout, 'a', { text: '周末，我们休息。', samples: RATE })
    sendFrames(playout, 50)
    playout.played(RATE / 2)
    expect(playout.heard('a').text).toMatch(/^周末，我?$/)
  })

  test('an utterance whose sound is still coming is not taken for shorter than it is', () => {
    const playout = createPlayout({ rateHz: RATE })
    playout.startUtterance('a', { generation: 1, text: 'This is quite a long sentence, whose sound comes slowly.' })
    playout.append('a', numbered(0, 3_200))
    sendFrames(playout, 20)
    playout.played(3_200)
    const heard = playout.heard('a').text.split(' ').length
    expect(heard).toBeGreaterThanOrEqual(1)
    expect(heard).toBeLessThanOrEqual(2)
  })

  test('only the last utterances are remembered', () => {
    const playout = createPlayout({ rateHz: RATE })
    for (let index = 0; index < 200; index += 1) {
      say(playout, `u${index}`, { text: 'word', samples: FRAME })
      playout.nextFrame()
      playout.played(playout.sentSamples)
    }
    expect(playout.heard('u0').text).toBe('')
    expect(playout.heard('u199').text).toBe('word')
    expect(playout.heard(1).text.split(' ')).toHaveLength(128)
  })
})
