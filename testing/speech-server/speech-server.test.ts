import { expect, test } from 'vitest'
import { correlateEnvelopes, findBestMatch, measureEnvelope } from './envelope.ts'
import { startSpeechServer, synthesizeTones } from './speech-server.ts'
import { readWav, writeWav } from './wav-audio.ts'

const createRecording = (rateHz: number, text: string) => ({ samples: synthesizeTones(text, rateHz), rateHz })

/** Adds silence before and after the audio, and slight noise throughout. */
function addNoiseAndSilence({ samples, rateHz }: ReturnType<typeof createRecording>) {
  const noisySamples = new Int16Array(samples.length + rateHz * 2)
  noisySamples.set(samples, Math.round(rateHz * 1.25))
  return { samples: noisySamples.map((sample, index) => sample * 0.3 + (((index * 7919) % 41) - 20)), rateHz }
}

function createForm(fields: Readonly<Record<string, string>>, wav: Buffer): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'speech.wav')
  return data
}

test('recognizes only known recordings, at any rate, level and position', async () => {
  await using server = await startSpeechServer()
  server.addRecording(createRecording(24_000, 'a table for two'), 'A table for two')
  server.addRecording(createRecording(24_000, 'goodbye'), 'Goodbye')
  const transcribe = async (text: string) => {
    const body = createForm(
      { model: 'whisper-1', language: 'en' },
      writeWav(addNoiseAndSilence(createRecording(16_000, text))),
    )
    return await (await fetch(`${server.baseUrl}/audio/transcriptions`, { method: 'POST', body })).json()
  }
  expect(await transcribe('a table for two')).toEqual({ text: 'A table for two' })
  expect(await transcribe('goodbye')).toEqual({ text: 'Goodbye' })
  expect(await transcribe('one two three four five six seven eight')).toEqual({ text: '' })
  expect(server.recordings[0]?.rateHz).toBe(16_000)
})

test('rejects requests that violate the wire format', async () => {
  await using server = await startSpeechServer()
  const requestSpeech = (body: object) =>
    fetch(`${server.baseUrl}/audio/speech`, { method: 'POST', body: JSON.stringify(body) }).then(({ status }) => status)
  expect(await requestSpeech({ model: 'tts-1', input: 'Hi', voice: 'alloy' })).toBe(200)
  expect(await requestSpeech({ model: 'tts-1', input: 'Hi', voice: 'alloy', instructions: 'Happy' })).toBe(400)
  expect(await requestSpeech({ model: 'tts-1', input: 'Hi', voice: 'alloy', speed: 9 })).toBe(400)
  const shortForm = createForm({ model: 'whisper-1' }, writeWav({ samples: new Int16Array(100), rateHz: 16_000 }))
  expect((await fetch(`${server.baseUrl}/audio/transcriptions`, { method: 'POST', body: shortForm })).status).toBe(400)
  expect((await fetch(`${server.baseUrl}/audio/else`, { method: 'POST', body: '' })).status).toBe(404)
})

test('compares recordings by their envelopes', () => {
  const recording = createRecording(16_000, 'one two three')
  expect(correlateEnvelopes(recording, addNoiseAndSilence(createRecording(8_000, 'one two three')))).toBeGreaterThan(
    0.98,
  )
  expect(correlateEnvelopes(recording, createRecording(8_000, 'one'))).toBeLessThan(0.8)
  expect(findBestMatch(measureEnvelope(recording), measureEnvelope(addNoiseAndSilence(recording))).lagMs).toBe(1_250)
})

test('a WAV file survives writing and reading', () => {
  const recording = createRecording(8_000, 'one two')
  expect(readWav(writeWav(recording))).toEqual(recording)
  expect(readWav(Buffer.from('RIFF'))).toBe('not a WAV file')
  expect(readWav(writeWav(recording).subarray(0, 100))).toBe('the data is cut off')
})
