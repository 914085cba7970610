import { createManualClock, createScriptedModel, replyWith } from '@parley/engine/testing'
import { createScriptedSynthesizer } from '@parley/engine/testing/scripted-synthesizer'
import { expect, test } from 'vitest'
import type { SpeechReply } from '../../../../../../testing/speech-server/speech-reply.ts'
import { startSpeechServer } from '../../../../../../testing/speech-server/speech-server.ts'
import { createModelDispatcher } from '../../../integrations/models/model-dispatcher.ts'
import { createHttpNetwork } from '../../../integrations/speech/speech-test-kit.ts'
import { createSpeechVendors } from '../../../integrations/speech/speech-vendors.ts'
import { startRecordedAudioCall } from './recorded-audio-call-test-kit.ts'

const RATE_HZ = 16_000
const KEY = 'sk-test-0123456789abcdef'
const ANSWER = 'One two three four five six seven eight.'
const QUESTION = 'when do you open'

/** Vendor failures during a call. */
const FAULTS: readonly (readonly [string, SpeechReply])[] = [
  ['does not respond', { kind: 'hang' }],
  ['stalls at the start of a response', { kind: 'stall', afterBytes: 0 }],
  ['stalls midway', { kind: 'stall', afterBytes: 24_000 }],
  ['half-closes the connection midway', { kind: 'half-close', afterBytes: 24_000 }],
  ['resets the connection midway', { kind: 'reset', afterBytes: 24_000 }],
  ['closes the connection at once', { kind: 'refuse' }],
  ['does not speak HTTP', { kind: 'garbage' }],
  ['returns an HTML page', { kind: 'html' }],
  ['rejects the key', { kind: 'wrong-key' }],
  ['has no quota left', { kind: 'quota', retryAfterSeconds: 30 }],
  ['sends 10 MB', { kind: 'flood', sizeBytes: 10 * 1024 * 1024 }],
  ['is down', { kind: 'json', status: 503, body: {} }],
]

/** Starts a call that uses the workspace's OpenAI key, then the operator's server, then the built-in voice. */
async function setUp() {
  const openAi = await startSpeechServer({ apiKey: KEY, recognize: () => QUESTION })
  const operatorServer = await startSpeechServer({ recognize: () => QUESTION })
  const time = createManualClock()
  const http = createModelDispatcher()
  const builtIn = createScriptedSynthesizer({ clock: time.clock, name: 'builtin/flite' })
  const server = { baseUrl: operatorServer.baseUrl, apiKey: undefined, model: 'kokoro' }
  const network = createHttpNetwork(http)
  const vendors = createSpeechVendors({
    settings: { synthesis: server, voices: ['af_heart'], transcription: { ...server, model: 'whisper-1' } },
    keys: {
      findKey: async (_workspaceId, service) =>
        service === 'openai' ? { apiKey: KEY, baseUrl: openAi.baseUrl, isStored: true, isShared: false } : null,
    },
    builtInTranscriber: null,
    direct: network,
    guarded: network,
    clock: time.clock,
    builtIn: { ...builtIn.synthesizer, supports: () => true },
  })
  const speech = await vendors.forWorkspace(1)
  const { voices } = speech.selectVoices(
    [
      { provider: 'openai', vendorVoice: 'alloy', gender: 'female' },
      { provider: 'speech', vendorVoice: 'af_heart', gender: 'female' },
    ],
    { model: null, language: 'en-US' },
  )
  const { transcribers } = speech.selectTranscribers({ mode: 'fast', provider: null, language: 'en-US' })
  const call = await startRecordedAudioCall({
    time,
    rateHz: RATE_HZ,
    voices,
    transcribers,
    turns: { transcriberP99Ms: transcribers[0]?.finalP99Ms ?? 0 },
    model: createScriptedModel([replyWith(ANSWER), replyWith('And this.'), replyWith('And that.')]).model,
    // Client and servers share this thread, so network I/O takes several turns of the event loop.
    onStep: async () => {
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    },
  })
  return {
    call,
    openAi,
    operatorServer,
    builtIn,
    async [Symbol.asyncDispose]() {
      call.session.end('manual_stopped', false)
      await http.destroy()
      await openAi.close()
      await operatorServer.close()
    },
  }
}

function speakQuestion({ call }: Awaited<ReturnType<typeof setUp>>): void {
  call.playCallerAudio(
    Int16Array.from({ length: RATE_HZ * 1.2 }, (_, index) => Math.round(8_000 * Math.sin(index / 5))),
  )
}

/** Counts audible words, which are bursts of audio. */
function countBursts(loudness: readonly number[]): number {
  return loudness.filter((level, index) => level > 400 && (loudness[index - 1] ?? 0) <= 400).length
}

test.each(FAULTS)('when a voice %s, the next voice continues without repeating words', async (_, fault) => {
  await using setup = await setUp()
  const { call, openAi, operatorServer } = setup
  openAi.setReply(fault)
  call.caller.sendText('count')
  await call.runUntil(() => call.listEntries('agent-message').length === 1, 20_000)
  expect(call.listEntries('agent-message')[0]).toMatchObject({ content: ANSWER, interrupted: false })
  const words = ANSWER.split(' ').length
  const heardWords = countBursts(call.getLoudness())
  expect(heardWords).toBeGreaterThanOrEqual(words - 1)
  expect(heardWords).toBeLessThanOrEqual(words + 1)
  const failures = call.listEntries('warning').filter(({ code }) => code === 'voice-failed')
  expect(failures).toHaveLength(1)
  expect(failures[0]?.message).toContain('openai/')
  expect(call.loggedFailures).toHaveLength(1)
  expect(`${JSON.stringify(failures)}${call.loggedFailures.join()}`).not.toMatch(/three|sk-t|127\.0\.0\.1/)
  // The call does not try the failed vendor again.
  const requestCount = openAi.requests.length
  call.caller.sendText('go on')
  await call.runUntil(() => call.listEntries('agent-message').length === 2, 5_000)
  expect(openAi.requests).toHaveLength(requestCount)
  expect(operatorServer.requests.length).toBeGreaterThan(1)
  expect(call.faults).toEqual([])
})

test.each(FAULTS)('when a transcriber %s, the next transcriber recognizes the words once', async (_, fault) => {
  await using setup = await setUp()
  const { call, openAi } = setup
  // Audio of the first two words.
  openAi.setReply('afterBytes' in fault ? { ...fault, afterBytes: Math.min(fault.afterBytes, 130) } : fault)
  await call.run(300)
  speakQuestion(setup)
  await call.runUntil(() => call.listEntries('agent-message').some(({ kind }) => kind === 'reply'), 30_000)
  // Late words still belong to the utterance in which the caller spoke them.
  expect(call.listEntries('user-message')[0]?.endMs).toBeLessThan(1_700)
  expect(call.listEntries('user-message').map(({ content }) => content)).toEqual([QUESTION])
  const failures = call.listEntries('warning').filter(({ code }) => code === 'recogniser-failed')
  expect(failures).toHaveLength(1)
  expect(call.loggedFailures).toContain(failures[0]?.message)
  expect(JSON.stringify(call.journal.filter(({ entry }) => entry.type === 'warning'))).not.toMatch(/open\b|sk-t/)
  await call.run(3_000)
  expect(call.listEntries('user-message')).toHaveLength(1)
  expect(call.faults).toEqual([])
})

test("without a transcriber the caller is informed and types or uses the browser's recognition", async () => {
  await using setup = await setUp()
  const { call, openAi, operatorServer } = setup
  openAi.setReply({ kind: 'wrong-key' })
  operatorServer.setReply({ kind: 'refuse' })
  await call.run(300)
  speakQuestion(setup)
  await call.runUntil(() => call.updates.some(({ type }) => type === 'warning'), 20_000)
  expect(call.updates.find(({ type }) => type === 'warning')).toMatchObject({ code: 'speech_not_recognised' })
  call.caller.sendText('when do you open then')
  await call.runUntil(() => call.listEntries('agent-message').length === 1)
  call.caller.sendRecognized({
    type: 'final',
    utteranceId: 'browser',
    text: 'and when do you close',
    endOfTurn: null,
    words: [],
  })
  await call.runUntil(() => call.listEntries('agent-message').length === 2)
  expect(call.listEntries('user-message').map(({ content }) => content)).toEqual([
    'when do you open then',
    'and when do you close',
  ])
})

test('ends a call when the caller only speaks and nothing recognizes speech', async () => {
  await using setup = await setUp()
  const { call, openAi, operatorServer } = setup
  openAi.setReply({ kind: 'refuse' })
  operatorServer.setReply({ kind: 'refuse' })
  for (let round = 0; round < 8 && call.getOutcome() === null; round += 1) {
    speakQuestion(setup)
    await call.run(7_000)
  }
  expect(call.getOutcome()).toMatchObject({ reason: 'error_asr' })
})

test('uses the built-in voice when every vendor fails', async () => {
  await using setup = await setUp()
  const { call, openAi, operatorServer, builtIn } = setup
  openAi.setReply({ kind: 'refuse' })
  operatorServer.setReply({ kind: 'quota' })
  call.caller.sendText('count')
  await call.runUntil(() => call.listEntries('agent-message').length === 1, 20_000)
  expect(builtIn.words.join(' ')).toBe(ANSWER)
  expect(call.listEntries('warning').filter(({ code }) => code === 'voice-failed')).toHaveLength(2)
})
