import { describe, expect, test } from 'vitest'
import { babble, clicks, fanNoise, framesOf, hum, joined, mixed, whiteNoise } from './generated-audio-test-kit.ts'
import { levelDb } from './level.ts'
import { createVoiceActivity, type VoiceChange } from './voice-activity.ts'

const RATE = 8_000
/** A classifier at its worst: everything is voice. What is left is up to the noise floor. */
const STUCK = { isVoice: () => true, close: () => {} }

function silence(durationMs: number): Int16Array {
  return new Int16Array((RATE * durationMs) / 1000)
}

function clip(durationMs: number, amplitude: number) {
  return { rateHz: RATE, durationMs, amplitude }
}

/** Changes, each with the time at which it was told. */
function changesOf(samples: Int16Array, classifier = STUCK): (VoiceChange & { reportedMs: number })[] {
  const activity = createVoiceActivity({ classifier, rateHz: RATE })
  const changes: (VoiceChange & { reportedMs: number })[] = []
  let atMs = 0
  for (const frame of framesOf(samples, RATE)) {
    atMs += 20
    const change = activity.push(frame, atMs)
    if (change !== null) changes.push({ ...change, reportedMs: atMs })
  }
  return changes
}

describe('voice', () => {
  test('is told after 50 ms with its beginning, and its end after 200 ms with the last voice', () => {
    const voice = new Int16Array((RATE * 600) / 1000).map((_, index) => (index % 40 < 20 ? 6_000 : -6_000))
    expect(changesOf(joined(silence(400), voice, silence(600)))).toEqual([
      { type: 'voice-started', sinceMs: 400, level: 'normal', reportedMs: 460 },
      { type: 'voice-ended', lastVoiceAtMs: 1_000, reportedMs: 1_200 },
    ])
  })

  test('goes on through the pauses between syllables and words of less than 200 ms', () => {
    const syllable = new Int16Array((RATE * 180) / 1000).map((_, index) => (index % 64 < 32 ? 4_000 : -4_000))
    const sentence = joined(syllable, silence(140), syllable, silence(180), syllable)
    expect(changesOf(joined(silence(200), sentence, silence(500))).map(({ type }) => type)).toEqual([
      'voice-started',
      'voice-ended',
    ])
  })

  test('is found from the first frame of a call on', () => {
    expect(changesOf(babble(clip(1_000, 6_000)))[0]).toMatchObject({ type: 'voice-started' })
  })

  test('is found over hum and fan noise that last for the whole call', () => {
    const noise = mixed(hum(clip(8_000, 900)), fanNoise(clip(8_000, 500)))
    const speech = joined(silence(4_000), babble(clip(2_000, 9_000)))
    const changes = changesOf(mixed(noise, speech))
    const started = changes.filter(({ type, reportedMs }) => type === 'voice-started' && reportedMs > 2_500)
    expect(started[0]?.reportedMs).toBeGreaterThan(4_000)
    expect(started[0]?.reportedMs).toBeLessThan(4_400)
    const ended = changes.at(-1)
    expect(ended).toMatchObject({ type: 'voice-ended' })
    expect(ended?.reportedMs).toBeLessThan(6_600)
  })

  test('ten seconds of speech without a breath are one stretch of voice at least for most of the time', () => {
    const changes = changesOf(joined(silence(300), babble(clip(10_000, 8_000)), silence(400)))
    let voicedMs = 0
    for (const [index, change] of changes.entries()) {
      const next = changes[index + 1]
      if (change.type === 'voice-started' && next?.type === 'voice-ended')
        voicedMs += next.lastVoiceAtMs - change.sinceMs
    }
    expect(voicedMs).toBeGreaterThan(8_000)
  })
})

describe('what is no voice', () => {
  test.each([
    ['hum', hum(clip(10_000, 6_000))],
    ['a fan', fanNoise(clip(10_000, 6_000))],
    ['white noise', whiteNoise(clip(10_000, 4_000))],
  ])('%s that begins in the middle of a call is given up within 2.5 s, for good', (_, noise) => {
    const changes = changesOf(joined(silence(1_000), noise))
    expect(changes.filter(({ reportedMs }) => reportedMs > 3_500)).toEqual([])
    expect(changes.at(-1)?.type ?? 'voice-ended').toBe('voice-ended')
  })

  test('clicks never count', () => {
    expect(changesOf(clicks(clip(5_000, 20_000), 300))).toEqual([])
  })

  test('what the classifier does not take for voice never counts, however loud', () => {
    expect(changesOf(babble(clip(2_000, 20_000)), { isVoice: () => false, close: () => {} })).toEqual([])
  })

  test('murmur below the quietest voice never counts', () => {
    expect(changesOf(babble(clip(2_000, 40)))).toEqual([])
  })
})

describe('echo', () => {
  /** Plays a voice whose echo comes back 40 ms later; `own` is what the caller says. */
  function withEcho(played: Int16Array, own: Int16Array, attenuation: number) {
    const activity = createVoiceActivity({ classifier: STUCK, rateHz: RATE })
    const echo = joined(silence(40), played).map((sample) => sample * attenuation)
    const heard = [...framesOf(mixed(echo, own), RATE)]
    const changes: (VoiceChange & { reportedMs: number })[] = []
    const playedFrames = [...framesOf(played, RATE)]
    for (const [index, frame] of heard.entries()) {
      const playing = playedFrames[index]
      activity.echoReference(playing === undefined ? null : levelDb(playing))
      const change = activity.push(frame, (index + 1) * 20)
      if (change !== null) changes.push({ ...change, reportedMs: (index + 1) * 20 })
    }
    return changes
  }

  test.each([0.08, 0.2, 0.3])('the agent’s own voice weakened to %s is echo-like', (attenuation) => {
    const changes = withEcho(babble(clip(6_000, 12_000), 9), silence(6_000), attenuation)
    expect(changes.filter((change) => change.type === 'voice-started' && change.level === 'normal')).toEqual([])
    expect(changes.some((change) => change.type === 'voice-started')).toBe(true)
  })

  test('a caller who speaks over the agent is louder than its echo and is told as such', () => {
    const own = joined(silence(4_000), babble(clip(1_500, 12_000), 4))
    const changes = withEcho(babble(clip(6_000, 12_000), 9), own, 0.1)
    const normal = changes.filter((change) => change.type === 'voice-started' && change.level === 'normal')
    expect(normal[0]?.reportedMs).toBeGreaterThan(4_000)
    expect(normal[0]?.reportedMs).toBeLessThan(4_500)
  })

  test('while the agent is silent everything is as usual', () => {
    const changes = withEcho(silence(100), babble(clip(1_000, 3_000), 4), 0.1)
    expect(changes[0]).toMatchObject({ type: 'voice-started', level: 'normal' })
  })
})
