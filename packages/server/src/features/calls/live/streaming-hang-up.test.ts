import { createScriptedModel, replyWith } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { RATE_HZ, startStreamingCall, startStreamingVendors } from './streaming-call-test-kit.ts'

const CALLER_WORDS = 'is the shop still opened tonight'
/** Time after which no transcriber may receive audio of the call, and no voice may be in use. */
const MAX_CLOSE_MS = 1_000
/** Longest time for which a pool keeps a connection that nothing uses: Cartesia's 60 s. */
const MAX_IDLE_MS = 61_000

const TRANSCRIBERS = [
  ['Deepgram Nova', { provider: 'deepgram', language: 'de-DE' }],
  ['Deepgram Flux', { provider: 'deepgram', language: 'en-US' }],
  ['ElevenLabs Scribe', { provider: 'elevenlabs', language: 'en-US' }],
] as const

test.each(TRANSCRIBERS)('%s is closed after the hang-up in the middle of speech', async (_, transcriber) => {
  await using vendors = await startStreamingVendors(CALLER_WORDS)
  const { model } = createScriptedModel([])
  await using call = await startStreamingCall(vendors, {
    model,
    voices: [{ provider: 'cartesia', vendorVoice: 'katie' }],
    transcriber,
  })
  await call.run(500)
  call.playCallerAudio(synthesizeTones(CALLER_WORDS, RATE_HZ))
  await call.run(1_000)
  expect(vendors.listOpenConnections(transcriber.provider)).toHaveLength(1)
  call.caller.hangUp()
  await call.run(MAX_CLOSE_MS)
  expect(call.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  expect(vendors.listOpenConnections(transcriber.provider)).toEqual([])
})

interface VoiceCase {
  readonly name: string
  readonly provider: 'elevenlabs' | 'cartesia' | 'deepgram'
  readonly vendorVoice: string
  /** Whether the vendor drops a text without closing its connection, which another call can then use. */
  readonly keepsConnection: boolean
}

const VOICES: readonly VoiceCase[] = [
  { name: 'ElevenLabs (multi-context)', provider: 'elevenlabs', vendorVoice: 'rachel', keepsConnection: true },
  { name: 'ElevenLabs (stream-input)', provider: 'elevenlabs', vendorVoice: 'rachel', keepsConnection: false },
  { name: 'Cartesia', provider: 'cartesia', vendorVoice: 'katie', keepsConnection: true },
  { name: 'Deepgram Aura', provider: 'deepgram', vendorVoice: 'aura-2-thalia-en', keepsConnection: true },
  { name: 'Deepgram Flux', provider: 'deepgram', vendorVoice: 'flux-haley-en', keepsConnection: false },
]

test.for(VOICES)('$name is released after the hang-up in the middle of a sentence', async (voice) => {
  await using vendors = await startStreamingVendors()
  if (voice.name.includes('stream-input')) vendors.elevenLabs.refusedPaths.set('/multi-stream-input', 400)
  vendors.elevenLabs.scriptSpeech({ kind: 'stall', afterMs: 800 })
  vendors.cartesia.script({ kind: 'stall', afterChunks: 8 })
  vendors.deepgram.scriptSpeech({ kind: 'stall', afterBytes: 25_600 })
  const { model } = createScriptedModel([replyWith('We can drive straight through or park here.')])
  await using call = await startStreamingCall(vendors, { model, voices: [voice] })
  const release = call.connectVoice()
  await call.run(500)
  call.caller.sendText('how do we get there')
  await call.runUntil(() => call.getLoudness().some((level) => level > 400))
  expect(vendors.listOpenConnections(voice.provider).length).toBeGreaterThan(0)
  call.caller.hangUp()
  release()
  await call.run(MAX_CLOSE_MS)
  expect(call.getOutcome()).toMatchObject({ reason: 'user_hangup' })
  expect(vendors.listOpenConnections(voice.provider)).toHaveLength(voice.keepsConnection ? 1 : 0)
  await vendors.time.advance(MAX_IDLE_MS)
  await call.run(100)
  expect(vendors.listOpenConnections(voice.provider)).toEqual([])
  expect(vendors.time.countPendingTimers()).toBe(0)
})
