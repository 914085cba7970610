import { expect, test } from 'vitest'
import { correlateEnvelopes, findBestMatch, measureEnvelope } from './envelope.ts'
import { startSpeechServer, synthesizeTones } from './speech-server.ts'
import { readWav, writeWav } from './wav-audio.ts'

const at = (rateHz: number, text: string) => ({ samples: synthesizeTones(text, rateHz), rateHz })

/** Adds silence before and after the audio, and slight noise throughout. */
function addNoiseAndSilence({ samples, rateHz }: ReturnType<typeof at>) {
  const heard = new Int16Array(samples.length + rateHz * 2)
  heard.set(samples, Math.round(rateHz * 1.25))
  return { samples: heard.map((sample, index) => sample * 0.3 + (((index * 7919) % 41) - 20)), rateHz }
}

function createForm(fields: Readonly<Record<string, string>>, wav: Buffer): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'speech.wav')
  return data
}

test('only known recordings are recognized, at any rate, level and position', async () => {
  await using server = await startSpeechServer()
  server.addRecording(at(24_000, 'a table for two'), 'A table for two')
  server.addRecording(at(24_000, 'goodbye'), 'Goodbye')
  const ask = async (text: string) => {
    const body = createForm({ model: 'whisper-1', language: 'en' }, writeWav(addNoiseAndSilence(at(16_000, text))))
    return await (await fetch(`${server.baseUrl}/audio/transcriptions`, { method: 'POST', body })).json()
  }
  expect(await ask('a table for two')).toEqual({ text: 'A table for two' })
  expect(await ask('goodbye')).toEqual({ text: 'Goodbye' })
  expect(await ask('one two three four five six seven eight')).toEqual({ text: '' })
  expect(server.heard[0]?.rateHz).toBe(16_000)
})

test('requests that break the rules of the wire are refused', async () => {
  await using server = await startSpeechServer()
  const speak = (body: object) =>
    fetch(`${server.baseUrl}/audio/speech`, { method: 'POST', body: JSON.stringify(body) }).then(({ status }) => status)
  expect(await speak({ model: 'tts-1', input: 'Hi', voice: 'alloy' })).toBe(200)
  expect(await speak({ model: 'tts-1', input: 'Hi', voice: 'alloy', instructions: 'Happy' })).toBe(400)
  expect(await speak({ model: 'tts-1', input: 'Hi', voice: 'alloy', speed: 9 })).toBe(400)
  const short = createForm({ model: 'whisper-1' }, writeWav({ samples: new Int16Array(100), rateHz: 16_000 }))
  expect((await fetch(`${server.baseUrl}/audio/transcriptions`, { method: 'POST', body: short })).status).toBe(400)
  expect((await fetch(`${server.baseUrl}/audio/else`, { method: 'POST', body: '' })).status).toBe(404)
})

test('recordings are compared by their envelopes', () => {
  const one = at(16_000, 'one two three')
  expect(correlateEnvelopes(one, addNoiseAndSilence(at(8_000, 'one two three')))).toBeGreaterThan(0.98)
  expect(correlateEnvelopes(one, at(8_000, 'one'))).toBeLessThan(0.8)
  expect(findBestMatch(measureEnvelope(one), measureEnvelope(addNoiseAndSilence(one))).lagMs).toBe(1_250)
})

test('a WAV file survives writing and reading', () => {
  const recording = at(8_000, 'one two')
  expect(readWav(writeWav(recording))).toEqual(recording)
  expect(readWav(Buffer.from('RIFF'))).toBe('not a WAV file')
  expect(readWav(writeWav(recording).subarray(0, 100))).toBe('the data is cut off')
})
