import type { Agent } from '@parley/contract/agent'
import { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { copyDefaults, toEngineOptions } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AgentVoiceSettings, buildSpeakingSettings, buildTurnSettings } from './turn-settings.ts'

const AGENT: AgentVoiceSettings = {
  ...toEngineOptions(CALL_SETTINGS, { ...(copyDefaults(CALL_SETTINGS) as object as Agent), voice_id: 'voice_1' }),
  language: 'de-DE',
  voiceTemperature: 0.8,
  voiceSpeed: 1.1,
  voiceEmotion: 'happy',
  volume: 0.9,
  ambientSound: 'coffee-shop',
  ambientSoundVolume: 0.4,
  pronunciationDictionary: [{ word: 'Parley', alphabet: 'cmu', phoneme: 'P AA1 R L IY0' }],
  responsiveness: 'fast',
  beginMessageDelayMs: 100,
  beginAfterUserSilenceMs: 3_000,
  userDtmf: { digit_limit: 4, termination_key: '#', timeout_ms: 3_000 },
}
const CALL = { agentName: 'Robin', fallbackSentence: 'One moment.', transcriberP99Ms: 350 }

const buildTurns = (changes: Partial<AgentVoiceSettings>, node = {}) =>
  buildTurnSettings({ ...AGENT, ...changes }, CALL, node)

describe('turn settings', () => {
  test('combine agent, transcriber and leg', () => {
    expect(buildTurns({})).toEqual({
      ...toEngineOptions(TURN_SETTINGS, copyDefaults(TURN_SETTINGS)),
      responseThresholdMs: 400,
      responsivenessFactor: 0.5,
      adaptsToPauses: true,
      interruptionAfterMs: 500,
      interruptible: true,
      transcriberP99Ms: 350,
      reminderTriggerMs: 10_000,
      reminderMaxCount: 1,
      endCallAfterSilenceMs: 600_000,
      maxCallDurationMs: 3_600_000,
      beginMessageDelayMs: 100,
      beginAfterUserSilenceMs: 3_000,
      allowDtmf: true,
      allowDtmfInterruption: false,
      dtmf: { digitLimit: 4, terminationKey: '#', timeoutMs: 3_000 },
      backchannel: null,
      language: 'de-DE',
      agentName: 'Robin',
      fallbackSentence: 'One moment.',
    })
  })

  test.each([
    ['fast', 0.5],
    ['balanced', 0.75],
    ['slow', 1],
    ['1', 0.5],
    ['0.5', 0.75],
    ['.5', 0.75],
    ['0', 1],
  ])('map responsiveness %s to a factor of %d', (responsiveness, factor) => {
    expect(buildTurns({ responsiveness }).responsivenessFactor).toBe(factor)
  })

  test.each([
    ['high', 500],
    ['medium', 700],
    ['low', 1_000],
    ['none', null],
    ['1', 500],
    ['1.0', 500],
    ['0.5', 750],
    ['0', null],
    ['0.0', null],
  ])('map sensitivity %s to %s ms', (interruptionSensitivity, afterMs) => {
    expect(buildTurns({ interruptionSensitivity }).interruptionAfterMs).toBe(afterMs)
  })

  test('interpolate decimal sensitivities monotonically', () => {
    const afterMs = (value: number) => buildTurns({ interruptionSensitivity: String(value) }).interruptionAfterMs ?? 1_001
    const decimal = fc.integer({ min: 1, max: 1_000_000 }).map((value) => value / 1e6)
    fc.assert(
      fc.property(decimal, decimal, (first, second) => {
        const [low, high] = first < second ? [first, second] : [second, first]
        expect(afterMs(low)).toBeGreaterThanOrEqual(afterMs(high))
        expect(afterMs(high)).toBeGreaterThanOrEqual(500)
        expect(afterMs(low)).toBeLessThanOrEqual(1_000)
      }),
    )
  })

  test('let nodes override their agent', () => {
    const node = {
      interruption_sensitivity: 'none',
      responsiveness: 'slow',
      reminder_trigger_ms: 5_000,
      reminder_max_count: 3,
      allow_dtmf_interruption: true,
    }
    expect(buildTurns({}, node)).toMatchObject({
      interruptionAfterMs: null,
      responsivenessFactor: 1,
      reminderTriggerMs: 5_000,
      reminderMaxCount: 3,
      allowDtmfInterruption: true,
      responseThresholdMs: 400,
    })
    expect(buildTurns({}, { voice_speed: 2 })).toEqual(buildTurns({}))
  })

  test("use the agent's backchannel words, if any", () => {
    expect(buildTurns({ enableBackchannel: true }).backchannel).toEqual({ frequency: 0.8, words: [] })
    expect(buildTurns({ enableBackchannel: true, backchannelWords: ['hm'] }).backchannel?.words).toEqual(['hm'])
    expect(buildTurns({ enableBackchannel: true, backchannelFrequency: 0 }).backchannel).toBeNull()
  })
})

test('maps speaking settings and the speed of a node', () => {
  expect(buildSpeakingSettings(AGENT, { voice_speed: 0.7 })).toEqual({
    language: 'de-DE',
    speed: 0.7,
    temperature: 0.8,
    emotion: 'happy',
    volume: 0.9,
    ambientSound: 'coffee-shop',
    ambientVolume: 0.4,
    normalize: true,
    pronunciations: AGENT.pronunciationDictionary,
  })
  expect(buildSpeakingSettings(AGENT).speed).toBe(1.1)
})
