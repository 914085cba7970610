import { afterAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../packages/server/src/integrations/models/model-test-kit.ts'
import { FLITE_VOICES, type FliteVoice } from '../../packages/server/src/integrations/speech/flite/flite-protocol.ts'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import { createMoonshineTranscriber } from '../../packages/server/src/integrations/speech/moonshine/moonshine-transcriber.ts'
import {
  buildSpeechRequest,
  collectSpeech,
  failOnError,
  openTranscription,
} from '../../packages/server/src/integrations/speech/speech-test-kit.ts'
import { measureWordErrorRate } from '../../testing/word-error-rate.ts'

const clock = createTestClock()
const flite = createFliteSynthesizer({ clock, logError: failOnError, threads: 1 })
const moonshine = createMoonshineTranscriber({ clock, logError: failOnError })
moonshine.warmUp()
afterAll(() => Promise.all([flite.close(), moonshine.close()]))

/** Plays one utterance to a new session and returns its final text. */
async function recognize(samples: Int16Array): Promise<string> {
  const { pushSilence, push, session, events, waitForEvents } = openTranscription(moonshine)
  pushSilence(500)
  session.voiceStarted()
  push(samples)
  pushSilence(200)
  session.voiceEnded()
  for (let count = 1; ; count += 1) {
    await waitForEvents(count)
    const event = events.at(-1)
    if (event?.type === 'interim') continue
    session.close()
    if (event?.type === 'final') return event.text
    throw new Error(JSON.stringify(event))
  }
}

async function speak(text: string, voice: FliteVoice): Promise<Int16Array> {
  return (await collectSpeech(flite.synthesize(buildSpeechRequest(text, { voice })))).samples
}

const SENTENCES = ['Can you tell me when my order will arrive?', 'I need to change my appointment to next Monday.']

describe('the model', () => {
  test('understands each built-in voice and ends texts with punctuation', async () => {
    for (const voice of FLITE_VOICES) {
      const texts: string[] = []
      for (const sentence of SENTENCES) texts.push(await recognize(await speak(sentence, voice)))
      const errorRate = measureWordErrorRate(SENTENCES.join(' '), texts.join(' '))
      expect(errorRate, `${voice}: ${texts.join(' ')}`).toBeLessThanOrEqual(0.25)
      expect(texts.every((text) => /[.?!]$/.test(text))).toBe(true)
    }
  })

  test('hears no words in noise, hum and silence', async () => {
    let seed = 1
    const noise = Int16Array.from({ length: 16_000 }, () => {
      seed = (seed * 16_807) % 2_147_483_647
      return (seed % 3_000) - 1_500
    })
    const hum = Int16Array.from(
      { length: 16_000 },
      (_, index) => 3_000 * Math.sin((index / 16_000) * 2 * Math.PI * 100),
    )
    for (const samples of [noise, hum, new Int16Array(16_000)]) expect(await recognize(samples)).toBe('')
  })

  test('starts in a process, which ends after an idle minute', async () => {
    await recognize(await speak('Yes.', 'kal'))
    const { processId } = moonshine
    expect(processId).toBeGreaterThan(0)
    clock.advance(60_000)
    expect(moonshine.processId).toBeUndefined()
  })
})
