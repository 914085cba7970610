import { createSeededRandom } from '@parley/engine/audio/seeded-random'
import { createManualClock, createScriptedModel, replyWith } from '@parley/engine/testing'
import { createScriptedSynthesizer } from '@parley/engine/testing/scripted-synthesizer'
import type { TurnSettings } from '@parley/engine/voice/turn-machine/settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SpeechServer, startSpeechServer } from '../../../../../../testing/speech-server/speech-server.ts'
import { createModelDispatcher } from '../../../integrations/models/model-dispatcher.ts'
import { createFliteSynthesizer } from '../../../integrations/speech/flite/flite-synthesizer.ts'
import { createOpenAiTranscriber } from '../../../integrations/speech/openai/openai-transcriber.ts'
import { buildSpeechRequest, collectSpeech, failOnError } from '../../../integrations/speech/speech-test-kit.ts'
import { createDirectClassifiers } from '../../../integrations/speech/voice-activity/silero-test-kit.ts'
import { systemClock } from '../../../platform/system.ts'
import { startRecordedAudioCall } from './recorded-audio-call-test-kit.ts'

const RATE_HZ = 16_000
const LONG_ANSWER =
  'We are open from nine to six on every day of the week, and on the first Sunday of the month we close a little earlier than usual.'

const flite = createFliteSynthesizer({ clock: systemClock, logError: failOnError })
const http = createModelDispatcher()
let server: SpeechServer
let classifiers: Awaited<ReturnType<typeof createDirectClassifiers>>
beforeAll(async () => {
  server = await startSpeechServer()
  classifiers = await createDirectClassifiers()
})
afterAll(async () => {
  await flite.close()
  await http.destroy()
  await server.close()
})

/** Synthesizes speech in the built-in voice. Numbers are pauses in milliseconds. */
async function synthesizeSpeech(...parts: readonly (string | number)[]): Promise<Int16Array> {
  const chunks: Int16Array[] = []
  for (const part of parts) {
    if (typeof part === 'number') chunks.push(new Int16Array((part * RATE_HZ) / 1_000))
    else chunks.push((await collectSpeech(flite.synthesize(buildSpeechRequest(part, { voice: 'rms' })))).samples)
  }
  const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    samples.set(chunk, offset)
    offset += chunk.length
  }
  return samples
}

/** Starts a call with the real voice classifier and a transcriber that recognizes audio by its envelope. */
async function setUp(answers: readonly string[], turns: Partial<TurnSettings> = {}) {
  const time = createManualClock()
  const clock = time.clock
  const transcriber = createOpenAiTranscriber({
    provider: 'speech',
    model: 'whisper-1',
    baseUrl: server.baseUrl,
    apiKey: undefined,
    http,
    clock,
    finalP99Ms: 600,
  })
  const call = await startRecordedAudioCall({
    time,
    rateHz: RATE_HZ,
    turns: { interruptionAfterMs: 500, ...turns },
    voices: [{ synthesizer: createScriptedSynthesizer({ clock }).synthesizer, voice: 'slt', model: null }],
    transcribers: [transcriber],
    openClassifier: (onResult) => classifiers.open(RATE_HZ, onResult),
    model: createScriptedModel(answers.map((answer) => replyWith(answer))).model,
    // Sockets need real time. Each step lets some time pass.
    onStep: async () => {
      await classifiers.whenIdle()
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    },
  })
  await call.run(500)
  return call
}

function createMessageReaders(call: Awaited<ReturnType<typeof setUp>>) {
  return {
    readUserMessages: () => call.listEntries('user-message').map(({ content }) => content),
    readAgentMessages: () =>
      call.listEntries('agent-message').map(({ content, interrupted }) => [content, interrupted]),
  }
}

async function waitUntilAgentSpeaks(call: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  const startFrame = call.getLoudness().length
  await call.runUntil(
    () =>
      call
        .getLoudness()
        .slice(startFrame)
        .filter((level) => level > 400).length > 40,
  )
}

test('a sentence with pauses is one turn, answered after its end', async () => {
  const speech = await synthesizeSpeech('I would like to book a table and', 500, 'I need it for tonight.')
  server.addRecording({ samples: speech, rateHz: RATE_HZ }, 'I would like to book a table and I need it for tonight.')
  server.addRecording(
    { samples: await synthesizeSpeech('I would like to book a table and'), rateHz: RATE_HZ },
    'I would like to book a table and',
  )
  server.addRecording(
    { samples: await synthesizeSpeech('I need it for tonight.'), rateHz: RATE_HZ },
    'I need it for tonight.',
  )
  const call = await setUp(['Certainly.', 'And this.'])
  const { readUserMessages, readAgentMessages } = createMessageReaders(call)
  call.playCallerAudio(speech)
  await call.runUntil(() => readAgentMessages().length === 1)
  expect(readUserMessages().join(' ')).toBe('I would like to book a table and I need it for tonight.')
  expect(readUserMessages()).toHaveLength(1)
  call.session.end('manual_stopped', false)
})

test('digits in groups are one turn after a question for a phone number', async () => {
  const groups = ['five five five', 'one two three', 'four five six seven']
  const speech = await synthesizeSpeech(groups[0] ?? '', 700, groups[1] ?? '', 700, groups[2] ?? '')
  for (const text of groups) server.addRecording({ samples: await synthesizeSpeech(text), rateHz: RATE_HZ }, text)
  server.addRecording({ samples: speech, rateHz: RATE_HZ }, groups.join(' '))
  const call = await setUp(['What is your phone number? I need it to call back.', 'Thank you.', 'Again.'])
  const { readUserMessages, readAgentMessages } = createMessageReaders(call)
  call.caller.sendText('please call me back')
  await call.runUntil(() => readAgentMessages().length === 1)
  await call.run(300)
  call.playCallerAudio(speech)
  await call.runUntil(() => readAgentMessages().length === 2)
  expect(readUserMessages().slice(1)).toEqual([groups.join(' ')])
  call.session.end('manual_stopped', false)
})

test('a "mhm" does not interrupt the agent', async () => {
  const speech = await synthesizeSpeech('okay')
  server.addRecording({ samples: speech, rateHz: RATE_HZ }, 'okay')
  const call = await setUp([LONG_ANSWER, 'Not this.'])
  const { readUserMessages, readAgentMessages } = createMessageReaders(call)
  call.caller.sendText('when are you open')
  await waitUntilAgentSpeaks(call)
  await call.run(1_200)
  call.playCallerAudio(speech)
  await call.runUntil(() => readAgentMessages().length === 1)
  expect(readAgentMessages()).toEqual([[LONG_ANSWER, false]])
  expect(readUserMessages()).toEqual(['when are you open'])
  call.session.end('manual_stopped', false)
})

test('a cough does not interrupt the agent', async () => {
  const random = createSeededRandom(3)
  const cough = Int16Array.from({ length: RATE_HZ * 0.25 }, (_, index) => {
    return Math.round((random() - 0.5) * 24_000 * Math.exp(-index / (RATE_HZ * 0.08)))
  })
  const call = await setUp([LONG_ANSWER, 'Not this.'])
  const { readUserMessages, readAgentMessages } = createMessageReaders(call)
  call.caller.sendText('when are you open')
  await waitUntilAgentSpeaks(call)
  await call.run(1_200)
  call.playCallerAudio(cough)
  await call.runUntil(() => readAgentMessages().length === 1)
  expect(readAgentMessages()).toEqual([[LONG_ANSWER, false]])
  expect(readUserMessages()).toEqual(['when are you open'])
  call.session.end('manual_stopped', false)
})

test('other words interrupt the agent, and the history keeps what was heard', async () => {
  const speech = await synthesizeSpeech('wait, what about next Monday?')
  server.addRecording({ samples: speech, rateHz: RATE_HZ }, 'wait, what about next Monday?')
  const call = await setUp([LONG_ANSWER, 'Monday is fine.'])
  const { readUserMessages, readAgentMessages } = createMessageReaders(call)
  call.caller.sendText('when are you open')
  await waitUntilAgentSpeaks(call)
  await call.run(1_000)
  call.playCallerAudio(speech)
  await call.runUntil(() => readAgentMessages().length === 2)
  expect(readUserMessages()[1]).toBe('wait, what about next Monday?')
  expect(readAgentMessages()[0]?.[1]).toBe(true)
  expect(LONG_ANSWER.startsWith(String(readAgentMessages()[0]?.[0]))).toBe(true)
  expect(readAgentMessages()[1]?.[0]).toBe('Monday is fine.')
  call.session.end('manual_stopped', false)
})
