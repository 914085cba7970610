import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createManualClock, flushPromises } from '../../testing/manual-clock.ts'
import type { LegEvents } from '../ports.ts'
import { createLoopbackPair, type LoopbackOptions } from './loopback-leg.ts'

/** Creates leg events that write the events of one end to a log. */
function createLoggingEvents(log: string[]): LegEvents {
  return {
    frame: (frame, startSample) => log.push(`frame ${startSample} ${frame[0]}`),
    played: (played, captured) => log.push(`played ${played} of ${captured}`),
    dtmf: (digit) => log.push(`dtmf ${digit}`),
    recognized: (event) => log.push(`recognised ${event.text}`),
    recognitionFailed: () => log.push('recognition failed'),
    typed: (text) => log.push(`typed ${text}`),
    lost: () => log.push('lost'),
    restored: () => log.push('restored'),
    hungUp: () => log.push('hung up'),
    closed: () => log.push('closed'),
  }
}

function openLeg(options: Partial<LoopbackOptions> = {}) {
  const time = createManualClock()
  const pair = createLoopbackPair({ clock: time.clock, rateHz: 8_000, ...options })
  const pump = (): void => {
    pair.pump(time.clock.now())
    if (!pair.ended) time.clock.after(5, pump)
  }
  time.clock.after(5, pump)
  const near: string[] = []
  const far: string[] = []
  pair.near.listen(createLoggingEvents(near))
  pair.far.listen(createLoggingEvents(far))
  const sendFrames = (first: number, count: number) => {
    for (let index = first; index < first + count; index += 1) {
      pair.near.send(new Int16Array(160).fill(index + 1), index * 160)
    }
  }
  return { time, pair, near, far, say: sendFrames }
}

test('plays sent frames in real time, fills up with silence and reports the position', async () => {
  const { time, near, far, say } = openLeg()
  say(0, 6)
  await time.advance(160)
  expect(far).toEqual([1, 2, 3, 4, 5, 6, 0, 0].map((value, index) => `frame ${index * 160} ${value}`))
  expect(near.filter((line) => line.startsWith('played'))).toEqual(['played 800 of 800', 'played 960 of 960'])
})

test('clear drops unplayed frames and reports the position', async () => {
  const { time, pair, near, far, say } = openLeg()
  say(0, 10)
  await time.advance(60)
  pair.near.clear()
  await flushPromises()
  expect(near.at(-1)).toBe('played 480 of 480')
  await time.advance(40)
  expect(far.slice(3)).toEqual(['frame 480 0', 'frame 640 0'])
})

test('skips lost frames in the sample count and reports interruptions', async () => {
  let frames = 0
  const shouldDropFrame = () => {
    frames += 1
    return frames % 4 === 0
  }
  const { time, pair, far, near } = openLeg({ shouldDropFrame })
  await time.advance(80)
  pair.setInterrupted(true)
  pair.setInterrupted(true)
  await time.advance(100)
  pair.setInterrupted(false)
  await time.advance(40)
  expect(near.filter((line) => !line.startsWith('frame'))).toEqual(['lost', 'restored'])
  const starts = far.filter((line) => line.startsWith('frame')).map((line) => Number(line.split(' ')[1]) / 160)
  expect(pair.far.lostFrames + starts.length).toBe(11)
  expect(starts.every((start) => start < 4 || start >= 9)).toBe(true)
})

test('delivers text, digits and recognition events', () => {
  const { pair, near } = openLeg()
  pair.far.sendText('hello')
  pair.far.sendDtmf('1#')
  pair.far.sendRecognized({ type: 'interim', utteranceId: 'a', text: 'hel', stable: false })
  pair.far.failRecognition()
  expect(near).toEqual(['typed hello', 'dtmf 1', 'dtmf #', 'recognised hel', 'recognition failed'])
})

test('delays playback reports, and sends none without the capability', async () => {
  const listPlaybackReports = async (options: Partial<LoopbackOptions>): Promise<readonly string[]> => {
    const { time, near, say } = openLeg(options)
    say(0, 2)
    await time.advance(120)
    const earlyReports = near.filter((line) => line.startsWith('played'))
    await time.advance(40)
    return [...earlyReports, '|', ...near.filter((line) => line.startsWith('played'))]
  }
  expect(await listPlaybackReports({ reportDelayMs: 100 })).toEqual(['|', 'played 320 of 320'])
  expect(await listPlaybackReports({ reportsPlayed: false })).toEqual(['|'])
})

test('close plays sent frames for at most the drain time', async () => {
  for (const [drainMs, frameCount] of [
    [1_000, 10],
    [60, 3],
    [0, 0],
  ] as const) {
    const { time, pair, far, say } = openLeg()
    say(0, 10)
    pair.near.close(drainMs)
    await time.advance(400)
    expect(far.filter((line) => line.startsWith('frame'))).toHaveLength(frameCount)
    expect(far.slice(-2)).toEqual(['hung up', 'closed'])
    expect(pair.near.isClosing).toBe(true)
    expect(pair.ended).toBe(true)
  }
})

test('hanging up stops all events and notifies the other end once', async () => {
  const { time, pair, near, far, say } = openLeg()
  pair.far.hangUp()
  pair.far.hangUp()
  say(0, 3)
  await time.advance(100)
  pair.near.close(0)
  expect(near.filter((line) => line === 'hung up')).toHaveLength(1)
  expect(far.filter((line) => line === 'hung up')).toHaveLength(0)
  for (const log of [near, far]) expect(log.filter((line) => line === 'closed')).toHaveLength(1)
})

test('drops and counts frames beyond the buffer limit', () => {
  const { pair, say } = openLeg()
  say(0, 60)
  expect(pair.near.droppedFrames).toBe(10)
})

test('delivers samples in order and without duplicates after any sends and clears', async () => {
  const action = fc.oneof(
    fc.record({ type: fc.constant('send' as const), frames: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 200 }) }),
    fc.constant({ type: 'clear' as const }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      const { time, pair, near, far, say } = openLeg()
      let sent = 0
      for (const step of actions) {
        if (step.type === 'send') {
          say(sent, step.frames)
          sent += step.frames
        } else if (step.type === 'wait') await time.advance(step.ms)
        else pair.near.clear()
      }
      const values = far.filter((line) => line.startsWith('frame')).map((line) => Number(line.split(' ')[2]))
      const spoken = values.filter((value) => value > 0)
      expect(spoken).toEqual([...new Set(spoken)].sort((a, b) => a - b))
      const played = near.filter((line) => line.startsWith('played')).map((line) => Number(line.split(' ')[1]))
      expect(played).toEqual([...played].sort((a, b) => a - b))
      expect(played.at(-1) ?? 0).toBeLessThanOrEqual(sent * 160)
    }),
    { numRuns: 100 },
  )
})

test('notifies a listener of a connection that has already ended', () => {
  const { near: end, far } = createLoopbackPair({ clock: createManualClock().clock, rateHz: 8_000 })
  far.hangUp()
  const log: string[] = []
  end.listen(createLoggingEvents(log))
  expect(log).toEqual(['hung up', 'closed'])
})
