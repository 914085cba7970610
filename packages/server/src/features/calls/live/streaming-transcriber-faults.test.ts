import { createScriptedModel, replyWith } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import {
  RATE_HZ,
  type StreamingProvider,
  type StreamingVendors,
  startStreamingCall,
  startStreamingVendors,
  type VendorConnection,
} from './streaming-call-test-kit.ts'

/** Every word has another length, by which the vendors recognize its tone. */
const QUESTION = 'is the shop still opened tonight'
const ANSWER = 'Yes, until nine.'
const WORD_MS = 350
const SPEECH_MS = QUESTION.split(' ').length * WORD_MS - 100
/** In the middle of the third word. */
const FAULT_MS = 2 * WORD_MS + 100

interface TestedTranscriber {
  readonly name: string
  readonly provider: StreamingProvider
  readonly language: string
  readonly model: string
  readonly next: string
}

const TRANSCRIBERS: readonly TestedTranscriber[] = [
  {
    name: 'Deepgram Nova',
    provider: 'deepgram',
    language: 'de-DE',
    model: 'deepgram/nova-3',
    next: 'elevenlabs/scribe_v2_realtime',
  },
  {
    name: 'Deepgram Flux',
    provider: 'deepgram',
    language: 'en-US',
    model: 'deepgram/flux-general-en',
    next: 'elevenlabs/scribe_v2_realtime',
  },
  {
    name: 'ElevenLabs Scribe',
    provider: 'elevenlabs',
    language: 'en-US',
    model: 'elevenlabs/scribe_v2_realtime',
    next: 'deepgram/flux-general-en',
  },
]

interface Fault {
  readonly name: string
  readonly strike: (connection: VendorConnection) => void
  readonly reachability: 'reachable' | 'refused' | 'silent'
}

const FAULTS: readonly Fault[] = [
  { name: 'works', strike: () => undefined, reachability: 'reachable' },
  { name: 'breaks', strike: ({ drop }) => drop(), reachability: 'reachable' },
  { name: 'breaks and refuses connections', strike: ({ drop }) => drop(), reachability: 'refused' },
  { name: 'breaks and cannot be reached', strike: ({ drop }) => drop(), reachability: 'silent' },
  { name: 'closes and refuses connections', strike: ({ close }) => close(1011), reachability: 'refused' },
  { name: 'falls silent', strike: ({ mute }) => mute(), reachability: 'reachable' },
  { name: 'falls silent and refuses connections', strike: ({ mute }) => mute(), reachability: 'refused' },
  { name: 'falls silent and cannot be reached', strike: ({ mute }) => mute(), reachability: 'silent' },
  { name: 'sends garbage', strike: ({ send }) => send('}garbage{'), reachability: 'reachable' },
]

test.for(TRANSCRIBERS.flatMap((transcriber) => FAULTS.map((fault) => ({ transcriber, fault }))))(
  '$transcriber.name $fault.name while the caller speaks',
  async ({ transcriber, fault }) => {
    await using vendors = await startStreamingVendors(QUESTION)
    const model = createScriptedModel([replyWith(ANSWER), replyWith('And this.'), replyWith('And that.')])
    await using call = await startStreamingCall(vendors, {
      model: model.model,
      voices: [{ provider: 'cartesia', vendorVoice: 'katie' }],
      transcriber,
    })
    await call.run(1_000)
    const startMs = call.getElapsedMs()
    call.playCallerAudio(synthesizeTones(QUESTION, RATE_HZ))
    await call.run(FAULT_MS)
    const connection = vendors.listOpenConnections(transcriber.provider)[0]
    vendors.setReachability(transcriber.provider, fault.reachability)
    if (connection !== undefined) fault.strike(connection)
    const endMs = startMs + SPEECH_MS
    try {
      await call.runUntil(
        () =>
          call.heardFrames.some(
            ({ atMs, frame }) => atMs - call.startedAtMs > startMs && frame.some((s) => Math.abs(s) > 400),
          ),
        30_000,
      )
    } catch {}
    const answeredMs = call.getElapsedMs() - endMs
    await call.run(8_000)
    console.log('RESULT', JSON.stringify([transcriber.name, fault.name, answeredMs, call.listEntries('user-message').map(({ content }) => content), call.listEntries('warning').map(({ code, message }) => code + message), model.requests.length]))
  },
)
