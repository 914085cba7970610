import { describe, expect, test } from 'vitest'
import { computeLevelDb } from './frame.ts'
import {
  createBabble,
  createClicks,
  createFanNoise,
  createHum,
  createWhiteNoise,
  joinAudio,
  mixAudio,
  splitIntoFrames,
} from './generated-audio-test-kit.ts'
import { VoiceActivity, type VoiceChange } from './voice-activity.ts'

const RATE = 8_000
/** Classifier that accepts everything, so that only the noise floor decides. */
const ACCEPT_ALL = { isVoice: () => true, close: () => {} }

function createSilence(durationMs: number): Int16Array {
  return new Int16Array((RATE * durationMs) / 1000)
}

function createClipOptions(durationMs: number, amplitude: number) {
  return { rateHz: RATE, durationMs, amplitude }
}

/** Returns the detected changes with the times at which they were reported. */
function detectChanges(samples: Int16Array, classifier = ACCEPT_ALL): (VoiceChange & { reportedMs: number })[] {
  const activity = new VoiceActivity({ classifier, rateHz: RATE })
  const changes: (VoiceChange & { reportedMs: number })[] = []
  let atMs = 0
  for (const frame of splitIntoFrames(samples, RATE)) {
    atMs += 20
    const change = activity.push(frame, atMs)
    if (change !== null) changes.push({ ...change, reportedMs: atMs })
  }
  return changes
}

describe('voice', () => {
  test('is reported after 50 ms with its start, and ends after 200 ms', () => {
    const voice = new Int16Array((RATE * 600) / 1000).map((_, index) => (index % 40 < 20 ? 6_000 : -6_000))
    expect(detectChanges(joinAudio(createSilence(400), voice, createSilence(600)))).toEqual([
      { type: 'voice-started', startedAtMs: 400, level: 'normal', reportedMs: 460 },
      { type: 'voice-ended', lastVoiceAtMs: 1_000, reportedMs: 1_200 },
    ])
  })

  test('continues through pauses of less than 200 ms', () => {
    const syllable = new Int16Array((RATE * 180) / 1000).map((_, index) => (index % 64 < 32 ? 4_000 : -4_000))
    const sentence = joinAudio(syllable, createSilence(140), syllable, createSilence(180), syllable)
    expect(detectChanges(joinAudio(createSilence(200), sentence, createSilence(500))).map(({ type }) => type)).toEqual([
      'voice-started',
      'voice-ended',
    ])
  })

  test('is detected from the first frame of a call', () => {
    expect(detectChanges(createBabble(createClipOptions(1_000, 6_000)))[0]).toMatchObject({ type: 'voice-started' })
  })

  test('is detected over constant hum and fan noise', () => {
    const noise = mixAudio(createHum(createClipOptions(8_000, 900)), createFanNoise(createClipOptions(8_000, 500)))
    const speech = joinAudio(createSilence(4_000), createBabble(createClipOptions(2_000, 9_000)))
    const changes = detectChanges(mixAudio(noise, speech))
    const started = changes.filter(({ type, reportedMs }) => type === 'voice-started' && reportedMs > 2_500)
    expect(started[0]?.reportedMs).toBeGreaterThan(4_000)
    expect(started[0]?.reportedMs).toBeLessThan(4_400)
    const ended = changes.at(-1)
    expect(ended).toMatchObject({ type: 'voice-ended' })
    expect(ended?.reportedMs).toBeLessThan(6_600)
  })

  test('covers most of ten seconds of continuous speech', () => {
    const changes = detectChanges(
      joinAudio(createSilence(300), createBabble(createClipOptions(10_000, 8_000)), createSilence(400)),
    )
    let voicedMs = 0
    for (const [index, change] of changes.entries()) {
      const next = changes[index + 1]
      if (change.type === 'voice-started' && next?.type === 'voice-ended')
        voicedMs += next.lastVoiceAtMs - change.startedAtMs
    }
    expect(voicedMs).toBeGreaterThan(8_000)
  })
})

describe('noise', () => {
  test.each([
    ['hum', createHum(createClipOptions(10_000, 6_000))],
    ['a fan', createFanNoise(createClipOptions(10_000, 6_000))],
    ['white noise', createWhiteNoise(createClipOptions(10_000, 4_000))],
  ])('%s that starts during a call is ignored after 2.5 s', (_, noise) => {
    const changes = detectChanges(joinAudio(createSilence(1_000), noise))
    expect(changes.filter(({ reportedMs }) => reportedMs > 3_500)).toEqual([])
    expect(changes.at(-1)?.type ?? 'voice-ended').toBe('voice-ended')
  })

  test('ignores clicks', () => {
    expect(detectChanges(createClicks(createClipOptions(5_000, 20_000), 300))).toEqual([])
  })

  test('ignores sounds that the classifier rejects', () => {
    expect(
      detectChanges(createBabble(createClipOptions(2_000, 20_000)), { isVoice: () => false, close: () => {} }),
    ).toEqual([])
  })

  test('ignores murmur below the minimum level', () => {
    expect(detectChanges(createBabble(createClipOptions(2_000, 40)))).toEqual([])
  })
})

describe('echo', () => {
  /** Plays a voice whose echo returns after 40 ms, mixed with the caller's speech. */
  function detectChangesWithEcho(played: Int16Array, callerSpeech: Int16Array, attenuation: number) {
    const activity = new VoiceActivity({ classifier: ACCEPT_ALL, rateHz: RATE })
    const echo = joinAudio(createSilence(40), played).map((sample) => sample * attenuation)
    const microphoneFrames = [...splitIntoFrames(mixAudio(echo, callerSpeech), RATE)]
    const changes: (VoiceChange & { reportedMs: number })[] = []
    const playedFrames = [...splitIntoFrames(played, RATE)]
    for (const [index, frame] of microphoneFrames.entries()) {
      const playedFrame = playedFrames[index]
      activity.setEchoReference(playedFrame === undefined ? null : computeLevelDb(playedFrame))
      const change = activity.push(frame, (index + 1) * 20)
      if (change !== null) changes.push({ ...change, reportedMs: (index + 1) * 20 })
    }
    return changes
  }

  test.each([0.08, 0.2, 0.3])("reports the agent's own voice at %s as echo-like", (attenuation) => {
    const changes = detectChangesWithEcho(
      createBabble(createClipOptions(6_000, 12_000), 9),
      createSilence(6_000),
      attenuation,
    )
    expect(changes.filter((change) => change.type === 'voice-started' && change.level === 'normal')).toEqual([])
    expect(changes.some((change) => change.type === 'voice-started')).toBe(true)
  })

  test('reports a caller who speaks over the agent as normal', () => {
    const callerSpeech = joinAudio(createSilence(4_000), createBabble(createClipOptions(1_500, 12_000), 4))
    const changes = detectChangesWithEcho(createBabble(createClipOptions(6_000, 12_000), 9), callerSpeech, 0.1)
    const normalStarts = changes.filter((change) => change.type === 'voice-started' && change.level === 'normal')
    expect(normalStarts[0]?.reportedMs).toBeGreaterThan(4_000)
    expect(normalStarts[0]?.reportedMs).toBeLessThan(4_500)
  })

  test('reports voice as normal while the agent is silent', () => {
    const changes = detectChangesWithEcho(createSilence(100), createBabble(createClipOptions(1_000, 3_000), 4), 0.1)
    expect(changes[0]).toMatchObject({ type: 'voice-started', level: 'normal' })
  })
})
