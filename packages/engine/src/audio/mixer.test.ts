import { listChoices } from '@parley/contract/agent-settings/setting'
import { VOICE_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import { describe, expect, test } from 'vitest'
import { createBackground } from './ambient/background.ts'
import { computeLevelDb, findPeak, SILENCE_DB } from './frame.ts'
import { createTone, measureAmplitude } from './generated-audio-test-kit.ts'
import { Mixer } from './mixer.ts'

const RATE = 8_000
const FRAME = 160
const AMBIENCES = listChoices(VOICE_SETTINGS.ambient_sound).filter((name) => name !== 'none')
const MUSIC = ['relaxing_sound', 'uplifting_beats', 'ringtone']

/** Renders a background sound of this many seconds. */
function renderBackground(name: string, seconds: number, { seed = 1, rateHz = RATE } = {}): Int16Array {
  const background = createBackground(name, { rateHz, seed })
  const samples = new Int16Array(seconds * rateHz)
  const frame = new Float32Array(rateHz / 50)
  for (let offset = 0; offset < samples.length; offset += frame.length) {
    frame.fill(0)
    background?.addTo(frame, 1)
    for (const [index, value] of frame.entries()) samples[offset + index] = Math.round(value)
  }
  return samples
}

function computeLevels(samples: Int16Array, windowSamples: number): number[] {
  return Array.from({ length: Math.floor(samples.length / windowSamples) }, (_, index) =>
    computeLevelDb(samples.subarray(index * windowSamples, (index + 1) * windowSamples)),
  )
}

function mixSeconds(mixer: Mixer, seconds: number): Int16Array {
  const samples = new Int16Array(seconds * RATE)
  for (let offset = 0; offset < samples.length; offset += FRAME) {
    samples.set(mixer.mix(null) ?? new Int16Array(FRAME), offset)
  }
  return samples
}

/** Computes the level of the differenced signal relative to the complete signal, in dB. */
function measureBrightness(samples: Int16Array): number {
  const differences = samples.map((sample, index) => (sample - (samples[index - 1] ?? 0)) / 2)
  return computeLevelDb(differences) - computeLevelDb(samples)
}

describe.each([8_000, 16_000])('at %i Hz', (rateHz) => {
  test.each(AMBIENCES)('%s stays audible and does not clip for a minute', (name) => {
    const samples = renderBackground(name, 60, { rateHz })
    const levels = computeLevels(samples, rateHz)
    expect(Math.min(...levels)).toBeGreaterThan(-45)
    expect(Math.max(...levels)).toBeLessThan(-25)
    expect(findPeak(samples)).toBeLessThan(10_000)
  })

  test.each([...MUSIC, 'typing'])('%s is audible and does not clip', (name) => {
    const samples = renderBackground(name, 25, { rateHz })
    expect(computeLevelDb(samples)).toBeGreaterThan(-42)
    expect(computeLevelDb(samples)).toBeLessThan(-20)
    expect(findPeak(samples)).toBeLessThan(20_000)
  })
})

describe('background sounds', () => {
  test('have the expected brightness', () => {
    const brightness = Object.fromEntries(
      AMBIENCES.map((name) => [name, measureBrightness(renderBackground(name, 20))]),
    )
    expect(brightness['convention-hall']).toBeLessThan(-15)
    for (const name of ['coffee-shop', 'call-center', 'mountain-outdoor']) {
      expect(brightness[name]).toBeGreaterThan(-15)
      expect(brightness[name]).toBeLessThan(-8)
    }
    for (const name of ['summer-outdoor', 'static-noise']) expect(brightness[name]).toBeGreaterThan(-6)
  })

  test('loop without an audible cut', () => {
    for (const name of [...AMBIENCES, 'relaxing_sound']) {
      const levels = computeLevels(renderBackground(name, 40), RATE / 20)
      const jumps = levels.slice(1).map((level, index) => Math.abs(level - (levels[index] ?? 0)))
      const typicalJump = jumps.slice(0, 100).reduce((max, jump) => Math.max(max, jump), 0)
      expect(Math.max(...jumps)).toBeLessThan(Math.max(8, 2.5 * typicalJump))
    }
  })

  test('do not repeat when one layer does', () => {
    const samples = renderBackground('coffee-shop', 60)
    for (const seconds of [11.3, 8.7, 13.9, 6.1]) {
      const shift = Math.round(seconds * RATE)
      let correlation = 0
      let power = 0
      for (let index = 20 * RATE; index < 25 * RATE; index += 1) {
        correlation += (samples[index] ?? 0) * (samples[index + shift] ?? 0)
        power += (samples[index] ?? 0) ** 2
      }
      expect(correlation / power).toBeLessThan(0.8)
    }
  })

  test('include the North American ringback tone', () => {
    const samples = renderBackground('ringtone', 6)
    expect(measureAmplitude(samples.subarray(RATE / 2, RATE), 440, RATE)).toBeGreaterThan(2_000)
    expect(measureAmplitude(samples.subarray(RATE / 2, RATE), 480, RATE)).toBeGreaterThan(2_000)
    const seconds = computeLevels(samples, RATE)
    expect(seconds.filter((level) => level === SILENCE_DB)).toHaveLength(4)
  })

  test('do not exist for unknown names', () => {
    for (const name of ['none', '', 'toString', 'jungle']) {
      expect(createBackground(name, { rateHz: RATE, seed: 1 })).toBeNull()
    }
  })

  test('start at a position that depends on the seed', () => {
    renderBackground('call-center', 30)
    const rendered = renderBackground('call-center', 1, { seed: 11 })
    expect(rendered).toEqual(renderBackground('call-center', 1, { seed: 11 }))
    expect(rendered).not.toEqual(renderBackground('call-center', 1, { seed: 12 }))
  })
})

describe('mixer', () => {
  test('returns speech unchanged and null for silence', () => {
    const mixer = new Mixer({ rateHz: RATE, seed: 1 })
    const speech = createTone({ rateHz: RATE, durationMs: 20, amplitude: 8_000 }, 300)
    const copy = speech.slice()
    expect(mixer.mix(speech)).toBe(speech)
    expect(speech).toEqual(copy)
    expect(mixer.mix(null)).toBeNull()
  })

  test('continues ambient sound between utterances and fades it in and out', () => {
    const mixer = new Mixer({ rateHz: RATE, seed: 1 })
    mixer.setAmbient('static-noise', 1)
    const levels = computeLevels(mixSeconds(mixer, 1), FRAME)
    expect((levels[1] ?? 0) + 15).toBeLessThan(levels[40] ?? 0)
    mixer.setAmbient('none', 1)
    expect(computeLevelDb(mixSeconds(mixer, 1))).toBeLessThan(-35)
    expect(mixer.mix(null)).toBeNull()
  })

  test('applies the ambient volume', () => {
    const quietMixer = new Mixer({ rateHz: RATE, seed: 1 })
    quietMixer.setAmbient('static-noise', 0.5)
    const loudMixer = new Mixer({ rateHz: RATE, seed: 1 })
    loudMixer.setAmbient('static-noise', 1)
    const difference = computeLevelDb(mixSeconds(loudMixer, 4)) - computeLevelDb(mixSeconds(quietMixer, 4))
    expect(difference).toBeGreaterThan(5)
    expect(difference).toBeLessThan(7)
    const mutedMixer = new Mixer({ rateHz: RATE, seed: 1 })
    mutedMixer.setAmbient('static-noise', 0)
    expect(mutedMixer.mix(null)).toBeNull()
  })

  test('adds ambient sound to speech', () => {
    const mixer = new Mixer({ rateHz: RATE, seed: 1 })
    mixer.setAmbient('convention-hall', 1)
    mixSeconds(mixer, 1)
    const mixed = new Int16Array(RATE)
    const speech = createTone({ rateHz: RATE, durationMs: 1_000, amplitude: 8_000 }, 1_000)
    for (let offset = 0; offset < RATE; offset += FRAME) {
      mixed.set(mixer.mix(speech.slice(offset, offset + FRAME)) ?? [], offset)
    }
    expect(measureAmplitude(mixed, 1_000, RATE)).toBeGreaterThan(7_800)
    expect(measureAmplitude(mixed, 1_000, RATE)).toBeLessThan(8_200)
    expect(computeLevelDb(mixed)).toBeGreaterThan(computeLevelDb(speech))
  })

  test.each([6, 9])('ducks speech by %i dB within 60 ms, without steps, and restores it', (db) => {
    const mixer = new Mixer({ rateHz: RATE, seed: 1 })
    const mixFrames = (count: number) => {
      const frames = Array.from({ length: count }, () => [...(mixer.mix(new Int16Array(FRAME).fill(8_000)) ?? [])])
      return frames.flat()
    }
    const samples = mixFrames(1)
    mixer.setDucking(db)
    samples.push(...mixFrames(3))
    expect(samples.at(-1)).toBeCloseTo(8_000 * 10 ** (-db / 20), -2)
    mixer.setDucking(0)
    samples.push(...mixFrames(4))
    expect(samples.at(-1)).toBe(8_000)
    const steps = samples.slice(1).map((sample, index) => Math.abs(sample - (samples[index] ?? 0)))
    expect(Math.max(...steps)).toBeLessThan(20)
  })

  test('limits loud samples without changing their sign', () => {
    const mixer = new Mixer({ rateHz: RATE, seed: 1 })
    mixer.setVolume(2)
    mixer.mix(new Int16Array(FRAME))
    const loudSpeech = createTone({ rateHz: RATE, durationMs: 20, amplitude: 30_000 }, 200)
    const signs = loudSpeech.map(Math.sign)
    const mixed = mixer.mix(loudSpeech) ?? loudSpeech
    expect(mixed.map(Math.sign)).toEqual(signs)
    expect(findPeak(mixed)).toBeGreaterThan(29_000)
    expect(new Set(mixed).size).toBeGreaterThan(15)
  })

  test('plays typing during tools and mutes ambient sound during music', () => {
    const mixer = new Mixer({ rateHz: RATE, seed: 5 })
    mixer.setTyping(true)
    expect(computeLevelDb(mixSeconds(mixer, 3))).toBeGreaterThan(-45)
    mixer.setTyping(false)
    mixSeconds(mixer, 1)
    expect(mixer.mix(null)).toBeNull()
    mixer.setAmbient('static-noise', 1)
    mixSeconds(mixer, 1)
    mixer.setMusic('ringtone')
    const musicLevels = computeLevels(mixSeconds(mixer, 12).subarray(RATE), FRAME)
    expect(Math.min(...musicLevels)).toBe(SILENCE_DB)
    expect(Math.max(...musicLevels)).toBeGreaterThan(-25)
    mixer.setMusic(null)
    expect(computeLevelDb(mixSeconds(mixer, 2).subarray(RATE))).toBeGreaterThan(-40)
  })
})
