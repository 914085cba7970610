import { describe, expect, test } from 'vitest'
import { computeLevelDb, SILENCE_DB } from '../frame.ts'
import { createBabble, createWhiteNoise, joinAudio, mixAudio, splitIntoFrames } from '../generated-audio-test-kit.ts'
import { VoiceActivity, type VoiceChange } from './voice-activity.ts'

const RATE = 8_000
const WINDOW_SAMPLES = 256

interface DetectionOptions {
  /** Returns the speech probability of a window. The default accepts every audible window. */
  readonly classify?: (window: Int16Array, startMs: number) => number
  /** Audio of the agent, which starts with the call. */
  readonly played?: Int16Array
  readonly cancelsEcho?: boolean
  /** Delay of all results in windows. */
  readonly lateWindows?: number
  readonly confirmAtMs?: number
}

type ReportedChange = VoiceChange & { reportedMs: number }

function classifyByLevel(window: Int16Array): number {
  return computeLevelDb(window) > -60 ? 1 : 0
}

/** Returns the starts and ends of voice with the times at which they were reported. */
function detectChanges(microphone: Int16Array, options?: DetectionOptions): ReportedChange[] {
  return detectAllChanges(microphone, options).filter(({ type }) => type !== 'voice-paused')
}

function detectAllChanges(microphone: Int16Array, options: DetectionOptions = {}): ReportedChange[] {
  const { classify = classifyByLevel, played, cancelsEcho = true, lateWindows = 0, confirmAtMs } = options
  const activity = new VoiceActivity({ rateHz: RATE, cancelsEcho, leadMs: 0 })
  const playedFrames = played === undefined ? [] : [...splitIntoFrames(played, RATE)]
  const changes: ReportedChange[] = []
  let windowStart = 0
  for (const [index, frame] of [...splitIntoFrames(microphone, RATE)].entries()) {
    const endSample = (index + 1) * frame.length
    const endMs = (index + 1) * 20
    if (endMs === confirmAtMs) activity.confirmCaller(endMs - 500)
    const playedFrame = playedFrames[index]
    const playedDb = playedFrame === undefined ? null : computeLevelDb(playedFrame)
    activity.pushFrame(frame, { endSample, endMs, playedDb })
    while (windowStart + WINDOW_SAMPLES * (1 + lateWindows) <= endSample) {
      const window = microphone.subarray(windowStart, windowStart + WINDOW_SAMPLES)
      const probability = classify(window, (windowStart * 1_000) / RATE)
      windowStart += WINDOW_SAMPLES
      const change = activity.pushProbability({ endSample: windowStart, probability })
      if (change !== null) changes.push({ ...change, reportedMs: endMs })
    }
  }
  return changes
}

function createSilence(durationMs: number): Int16Array {
  return new Int16Array((RATE * durationMs) / 1_000)
}

/** Creates a buzz with a constant level. */
function createBuzz(durationMs: number, levelDb: number): Int16Array {
  const amplitude = Math.round(32_768 * 10 ** (levelDb / 20))
  return createSilence(durationMs).map((_, index) => (index % 40 < 20 ? amplitude : -amplitude))
}

function createSpeech(durationMs: number, amplitude: number, seed: number): Int16Array {
  return createBabble({ rateHz: RATE, durationMs, amplitude }, seed)
}

/** Returns the samples as quiet room audio attenuated by `db`. */
function attenuate(samples: Int16Array, db: number): Int16Array {
  return samples.map((sample) => Math.round(sample * 10 ** (-db / 20)))
}

const listStarts = (changes: readonly ReportedChange[]) => changes.filter((change) => change.type === 'voice-started')

describe('voice', () => {
  test('starts after three windows of speech and ends after 200 ms', () => {
    const changes = detectChanges(joinAudio(createSilence(384), createBuzz(608, -16), createSilence(600)))
    expect(changes).toEqual([
      { type: 'voice-started', startedAtMs: 384, level: 'normal', reportedMs: 480 },
      { type: 'voice-ended', lastVoiceAtMs: 992, reportedMs: 1_220 },
    ])
  })

  test('keeps its times when results are late', () => {
    const audio = joinAudio(createSilence(384), createBuzz(608, -16), createSilence(800))
    expect(detectChanges(audio, { lateWindows: 6 })).toEqual([
      { type: 'voice-started', startedAtMs: 384, level: 'normal', reportedMs: 680 },
      { type: 'voice-ended', lastVoiceAtMs: 992, reportedMs: 1_420 },
    ])
  })

  test('pauses after 96 ms and continues after pauses of less than 200 ms', () => {
    const audio = joinAudio(createBuzz(320, -16), createSilence(160), createBuzz(320, -16), createSilence(600))
    expect(detectAllChanges(audio)).toMatchObject([
      { type: 'voice-started' },
      { type: 'voice-paused', isPaused: true, reportedMs: 420 },
      { type: 'voice-paused', isPaused: false, reportedMs: 520 },
      { type: 'voice-paused', isPaused: true, reportedMs: 900 },
      { type: 'voice-ended' },
    ])
  })

  test('starts with a high probability and lower ones after it', () => {
    const audio = createBuzz(2_000, -16)
    const classify = (_window: Int16Array, startMs: number) => (startMs === 1_024 ? 0.6 : 0.4)
    const [start] = detectChanges(audio, { classify })
    expect(start).toMatchObject({ type: 'voice-started', startedAtMs: 1_024 })
    expect(detectChanges(audio, { classify: () => 0.4 })).toEqual([])
  })

  test('ignores sounds without speech, short bursts and inaudible speech', () => {
    expect(detectChanges(createBuzz(2_000, -10), { classify: () => 0.1 })).toEqual([])
    expect(detectChanges(joinAudio(createBuzz(64, -10), createSilence(1_000)))).toEqual([])
    expect(detectChanges(createBuzz(2_000, -62), { classify: () => 1 })).toEqual([])
  })

  test('starts again after lost audio', () => {
    const activity = new VoiceActivity({ rateHz: RATE, cancelsEcho: true, leadMs: 0 })
    const push = (endSample: number) => {
      activity.pushFrame(createBuzz(20, -16), { endSample, endMs: endSample / 8, playedDb: null })
      return activity.pushProbability({ endSample, probability: 1 })
    }
    expect([push(160), push(320), push(8_480), push(8_640)]).toEqual([null, null, null, expect.anything()])
  })
})

describe('background voice', () => {
  const caller = joinAudio(createSpeech(3_000, 9_000, 4), createSilence(800))

  test.each([9, 12, 20])('%i dB below the caller is not the caller', (db) => {
    const television = attenuate(createSpeech(3_000, 9_000, 4), db)
    const changes = detectChanges(joinAudio(caller, television))
    const levels = listStarts(changes).map(({ level, reportedMs }) => [level, reportedMs > 3_800])
    expect(levels.filter(([level]) => level === 'normal').every(([, isLater]) => !isLater)).toBe(true)
    expect(levels.at(-1)).toEqual(['background', true])
  })

  test('is normal while the level of the caller is unknown', () => {
    expect(listStarts(detectChanges(attenuate(createSpeech(2_000, 9_000, 5), 20)))[0]?.level).toBe('normal')
  })

  test('does not prolong the voice of the caller', () => {
    const television = attenuate(createBuzz(6_000, -16), 24)
    const changes = detectChanges(mixAudio(joinAudio(createBuzz(2_000, -16), createSilence(2_000)), television))
    const end = changes.find(({ type }) => type === 'voice-ended')
    expect(end).toMatchObject({ lastVoiceAtMs: expect.closeTo(2_000, -2) })
    expect(end?.reportedMs).toBeLessThan(2_500)
    expect(listStarts(changes).at(-1)?.level).toBe('background')
  })

  test('with loud syllables does not prolong the voice of the caller', () => {
    const syllables = joinAudio(
      ...Array.from({ length: 10 }, () => joinAudio(createBuzz(240, -30), createBuzz(64, -22))),
    )
    const changes = detectChanges(joinAudio(createBuzz(2_000, -16), syllables))
    const end = changes.find(({ type }) => type === 'voice-ended')
    expect(end).toMatchObject({ lastVoiceAtMs: expect.closeTo(2_000, -2) })
    expect(end?.reportedMs).toBeLessThan(2_500)
  })

  test('becomes normal as soon as it gets louder', () => {
    const audio = joinAudio(createBuzz(1_000, -16), createSilence(608), createBuzz(608, -36), createBuzz(500, -16))
    const starts = listStarts(detectChanges(audio)).slice(1)
    expect(starts.map(({ level }) => level)).toEqual(['background', 'normal'])
    expect(starts[1]).toMatchObject({ startedAtMs: 2_176 })
    expect(starts[1]?.reportedMs).toBeLessThan(2_400)
  })

  test('is the caller after some seconds, or at once if its words answered the agent', () => {
    const quiet = joinAudio(createBuzz(1_500, -31), createSilence(500))
    const audio = joinAudio(createBuzz(1_000, -16), createSilence(500), quiet, quiet, quiet, quiet, quiet, quiet)
    const isNormal = (options: DetectionOptions) =>
      listStarts(detectChanges(audio, options)).map(({ level }) => level === 'normal')
    const levels = isNormal({})
    expect([levels.slice(0, 4), levels.at(-1)]).toEqual([[true, false, false, false], true])
    expect(isNormal({ confirmAtMs: 3_400 })).toEqual([true, false, true, true, true, true, true])
    // The confirmed words were spoken before the background voice.
    expect(isNormal({ confirmAtMs: 1_600 }).slice(0, 4)).toEqual([true, false, false, false])
  })
})

describe('echo', () => {
  const played = createSpeech(8_000, 12_000, 9)
  const roomNoise = createWhiteNoise({ rateHz: RATE, durationMs: 9_000, amplitude: 20 })

  /** Adds the echo of the played audio, which returns after 140 ms. */
  function addEcho(callerAudio: Int16Array, db: number): Int16Array {
    return mixAudio(joinAudio(createSilence(140), attenuate(played, db)), callerAudio, roomNoise)
  }

  test.each([
    [30, true],
    [20, true],
    [20, false],
    [10, false],
  ])('of %i dB below the agent is echo-like (client cancels echo: %s)', (db, cancelsEcho) => {
    const starts = listStarts(detectChanges(addEcho(createSilence(9_000), db), { played, cancelsEcho }))
    expect(starts.length).toBeGreaterThan(0)
    expect(starts.filter(({ level }) => level !== 'echo-like')).toEqual([])
  })

  test.each([
    ['without echo cancellation', false, 10, 4_000],
    ['with echo cancellation', true, 30, 1_000],
    ['with perfect echo cancellation', true, 90, 200],
  ])('a caller who speaks over the agent %s is normal', (_, cancelsEcho, db, startMs) => {
    const callerAudio = joinAudio(createSilence(startMs), createSpeech(1_500, 9_000, 4))
    const starts = listStarts(detectChanges(addEcho(callerAudio, db), { played, cancelsEcho }))
    const normalStart = starts.find(({ level }) => level === 'normal')
    expect(normalStart?.startedAtMs).toBeGreaterThanOrEqual(startMs - 40)
    expect(normalStart?.reportedMs).toBeLessThan(startMs + 500)
  })

  test('voice after the agent has spoken is normal', () => {
    const audio = joinAudio(createSilence(9_000), createSpeech(1_000, 3_000, 4))
    expect(listStarts(detectChanges(audio, { played })).at(-1)?.level).toBe('normal')
    expect(computeLevelDb(createSilence(20))).toBe(SILENCE_DB)
  })
})
