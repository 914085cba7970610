import { createScriptedModel } from '@parley/engine/testing/scripted-model'
import { createUnreachablePorts } from '@parley/engine/testing/scripted-ports'
import { createScriptedTranscriber } from '@parley/engine/testing/scripted-transcriber'
import { createLoopbackPair } from '@parley/engine/voice/loopback/loopback-leg'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import { expect, test } from 'vitest'
import { openLiveCalls } from '../live-call-test-kit.ts'
import type { TranscriberRequest } from './live-ports.ts'
import { prepareCall } from './prepare-call.ts'

const ENGLISH = createScriptedTranscriber([], { name: 'flux', finalP99Ms: 350 }).transcriber
const GERMAN = createScriptedTranscriber([], { name: 'nova', finalP99Ms: 900 }).transcriber

async function setUp() {
  const calls = await openLiveCalls()
  const { database, time, agentResolver } = calls
  const { callId } = await calls.create()
  const row = await database.read
    .selectFrom('calls')
    .selectAll()
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow()
  const { model } = createScriptedModel([])
  const transcribers = new Map([
    ['en-US', [ENGLISH]],
    ['de-DE', [GERMAN]],
  ])
  const preparedCall = await prepareCall(
    {
      clock: time.clock,
      agents: agentResolver,
      models: { forWorkspace: async () => ({ resolve: () => model, listConfigured: () => ['offline'] }) },
      createDialogueDependencies: () => createUnreachablePorts() as never,
      speech: {
        forWorkspace: async () => ({
          selectVoices: () => ({ voices: [], standIns: [] }),
          selectTranscribers: ({ language }: TranscriberRequest) => ({
            transcribers: transcribers.get(language) ?? [],
            standIns: [],
          }),
          warmUpTranscriber: () => undefined,
        }),
      },
      findVoice: async () => null,
      classifiers: async () => ({ open: () => Promise.reject(new Error('Nothing is classified.')) as never }),
    },
    { ...row, hidden: 0 },
    createLoopbackPair({ clock: time.clock, rateHz: 8_000 }).near,
  )
  return {
    preparedCall,
    async loadAgent(language: string, settings: Partial<AgentVoiceSettings> = {}) {
      const { agent, voiceAgents } = preparedCall
      if (agent.voice === null) throw new Error('The agent has no voice.')
      const voice = { ...agent.voice, language, ...settings }
      return await voiceAgents.load({ ...agent, agentId: `agent_${language}`, voice })
    },
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  }
}

test('an agent that takes over has the transcribers of its own language, with their delay', async () => {
  await using setup = await setUp()
  expect(setup.preparedCall.transcribers).toEqual([ENGLISH])
  expect(setup.preparedCall.voiceAgent).toMatchObject({ transcribers: [ENGLISH], turns: { transcriberP99Ms: 350 } })
  expect(await setup.loadAgent('de-DE')).toMatchObject({ transcribers: [GERMAN], turns: { transcriberP99Ms: 900 } })
})

test("an agent without transcribers of its own keeps the call's", async () => {
  await using setup = await setUp()
  expect(await setup.loadAgent('fr-FR')).toMatchObject({ transcribers: [ENGLISH], turns: { transcriberP99Ms: 350 } })
})

test.each([
  ['custom', { provider: 'deepgram', endpointing_ms: 800 }, 800],
  ['custom', { provider: 'deepgram', endpointing_ms: null }, null],
  ['custom', null, null],
  ['fast', { provider: 'deepgram', endpointing_ms: 800 }, null],
] as const)('in the mode %s with %j, an utterance ends after %s ms of silence', async (sttMode, config, expected) => {
  await using setup = await setUp()
  const agent = await setup.loadAgent('en-US', { sttMode, customSttConfig: config })
  expect(agent.endpointingMs).toBe(expected)
})
