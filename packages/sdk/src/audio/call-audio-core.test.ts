import { describe, expect, test } from 'vitest'
import { CallAudioCore } from './call-audio-core.ts'
import type { FromProcessor } from './worklet-messages.ts'

const DEVICE_HZ = 48_000
const BLOCK_SAMPLES = 128

function setUp(rateHz: 8_000 | 16_000 = 16_000, captureFrom = 0) {
  const posted: FromProcessor[] = []
  const core = new CallAudioCore({ rateHz, captureFrom }, DEVICE_HZ, BLOCK_SAMPLES, (message) => posted.push(message))
  const output: number[] = []
  const block = new Float32Array(BLOCK_SAMPLES)
  let sampleIndex = 0
  return {
    core,
    output,
    filterMessages: <Type extends FromProcessor['type']>(type: Type) =>
      posted.filter((message): message is Extract<FromProcessor, { type: Type }> => message.type === type),
    /** Runs the device. The microphone records a tone unless there is none. */
    run(durationMs: number, hasMicrophone = true) {
      for (let remaining = (DEVICE_HZ * durationMs) / 1_000; remaining > 0; remaining -= BLOCK_SAMPLES) {
        const input = Float32Array.from(
          { length: BLOCK_SAMPLES },
          () => Math.sin((2 * Math.PI * 500 * sampleIndex++) / DEVICE_HZ) * 0.5,
        )
        block.fill(0)
        core.process(hasMicrophone ? input : undefined, block)
        output.push(...block)
      }
    },
    play(startSample: number, durationMs: number) {
      const samples = Int16Array.from({ length: (rateHz * durationMs) / 1_000 }, (_, index) =>
        Math.round(Math.sin((2 * Math.PI * 400 * index) / rateHz) * 16_000),
      )
      core.handle({ type: 'play', startSample, samples })
    },
  }
}

describe('microphone', () => {
  test.each([16_000, 8_000] as const)('sends frames of 20 ms at %i Hz with consecutive sample numbers', (rateHz) => {
    const { run, filterMessages } = setUp(rateHz, 5_000)
    run(1_000)
    const frames = filterMessages('captured')
    const length = rateHz / 50
    expect(frames.length).toBeGreaterThanOrEqual(49)
    expect(frames.map(({ startSample }) => startSample)).toEqual(frames.map((_, index) => 5_000 + index * length))
    expect(frames.every(({ samples }) => samples.length === length)).toBe(true)
    const peak = Math.max(...(frames.at(-1)?.samples ?? []))
    expect(peak / 32_768).toBeCloseTo(0.5, 1)
  })

  test('sends silence without a microphone', () => {
    const { run, filterMessages } = setUp()
    run(200, false)
    expect(filterMessages('captured').length).toBeGreaterThanOrEqual(9)
    expect(
      filterMessages('captured')
        .flatMap(({ samples }) => [...samples])
        .every((sample) => sample === 0),
    ).toBe(true)
  })
})

describe('loudspeaker', () => {
  test('plays all audio and reports the position', () => {
    const { run, filterMessages, play, output } = setUp()
    play(0, 500)
    run(1_000)
    const positions = filterMessages('position')
    expect(positions.at(-1)).toMatchObject({ playedSamples: 8_000, isIdle: true, underruns: 0 })
    expect(positions.length).toBeGreaterThanOrEqual(5)
    const played = positions.map(({ playedSamples }) => playedSamples)
    expect(played).toEqual([...played].sort((left, right) => left - right))
    const audibleMs = (output.filter((sample) => Math.abs(sample) > 0.01).length / DEVICE_HZ) * 1_000
    expect(audibleMs).toBeGreaterThan(480)
    expect(audibleMs).toBeLessThan(510)
  })

  test('reports no position while nothing plays', () => {
    const { run, filterMessages, play } = setUp()
    run(1_000)
    expect(filterMessages('position')).toEqual([])
    play(0, 100)
    run(1_000)
    const count = filterMessages('position').length
    run(1_000)
    expect(filterMessages('position')).toHaveLength(count)
  })

  test('goes silent within 10 ms of a clear and reports the position', () => {
    const { core, run, filterMessages, play, output } = setUp()
    play(0, 2_000)
    run(500)
    const before = filterMessages('position').length
    core.handle({ type: 'clear' })
    expect(filterMessages('position')).toHaveLength(before + 1)
    expect(filterMessages('position').at(-1)).toMatchObject({ isIdle: true, capturedSamples: expect.any(Number) })
    output.length = 0
    run(300)
    const lastLoudSample = output.findLastIndex((sample) => Math.abs(sample) > 0.001)
    expect((lastLoudSample / DEVICE_HZ) * 1_000).toBeLessThan(10)
  })

  test('plays more quietly within the ramp, and again at full volume', () => {
    const { core, run, play, output } = setUp()
    play(0, 3_000)
    const measurePeak = () => {
      run(200)
      output.length = 0
      run(100)
      return Math.max(...output)
    }
    const fullPeak = measurePeak()
    core.handle({ type: 'gain', db: -6, rampMs: 60 })
    expect(measurePeak() / fullPeak).toBeCloseTo(0.5, 1)
    core.handle({ type: 'gain', db: Number.NaN, rampMs: 60 })
    core.handle({ type: 'gain', db: 40, rampMs: 60 })
    expect(measurePeak() / fullPeak).toBeCloseTo(1, 1)
  })

  test('counts captured and played samples on one clock', () => {
    const { run, filterMessages, play } = setUp()
    run(400)
    play(0, 1_000)
    run(700)
    // The first position depends on whether 60 ms are already buffered.
    const [, ...laterPositions] = filterMessages('position').filter(({ isIdle }) => !isIdle)
    for (const { playedSamples, capturedSamples } of laterPositions) {
      expect(capturedSamples - playedSamples).toBeGreaterThan(400 * 16 - 100)
      expect(capturedSamples - playedSamples).toBeLessThan(400 * 16 + 100)
    }
  })
})

test('reports the level of both sides', () => {
  const { run, filterMessages } = setUp()
  run(600)
  const levels = filterMessages('level')
  expect(levels.length).toBeGreaterThanOrEqual(9)
  expect(levels.at(-1)?.user).toBeGreaterThan(0.8)
  expect(levels.at(-1)?.agent).toBe(0)
})

test('stops all processing after the end message', () => {
  const { core, run, filterMessages, output } = setUp()
  core.handle({ type: 'end' })
  run(100)
  expect(filterMessages('captured')).toEqual([])
  expect(output.every((sample) => sample === 0)).toBe(true)
})
