import type { Clock, LanguageModel } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing'
import { createScriptedSynthesizer } from '@parley/engine/testing/scripted-synthesizer'
import { startCartesiaServer } from '../../../../../../testing/cartesia-server/cartesia-server.ts'
import { DEEPGRAM_KEY, startDeepgramServer } from '../../../../../../testing/deepgram-server/deepgram-server.ts'
import { startElevenLabsServer } from '../../../../../../testing/elevenlabs-server/elevenlabs-server.ts'
import { nextTurn } from '../../../../../../testing/next-turn.ts'
import { findToneWords } from '../../../../../../testing/speech-server/tone-words.ts'
import type { Recording } from '../../../../../../testing/speech-server/wav-audio.ts'
import { createModelDispatcher } from '../../../integrations/models/model-dispatcher.ts'
import { createSpeechVendors } from '../../../integrations/speech/speech-vendors.ts'
import { createLoopbackOpener } from '../../../integrations/speech/vendor-socket-test-kit.ts'
import type { OpenGuardedSocket, SocketOutcome } from '../../../platform/outbound/guarded-socket.ts'
import { startRecordedAudioCall } from './recorded-audio-call-test-kit.ts'

export const RATE_HZ = 16_000
const KEY = 'key-0123456789abcdef'
/** Client and servers share a thread, so network I/O takes several turns of the event loop. */
const TURNS_PER_STEP = 6
/** Shorter parts of a word are not recognized. */
const MIN_WORD_MS = 125

export type StreamingProvider = 'deepgram' | 'elevenlabs' | 'cartesia'

/** A vendor's end of one connection. */
export interface VendorConnection {
  readonly isOpen: boolean
  /** Breaks the connection without a close frame. */
  drop(): void
  close(code: number): void
  /** Sends a text message unchanged. */
  send(data: string): void
  /** Sends nothing from now on. */
  mute(): void
}

/** Whether new connections of a vendor work, fail, never open, or open and stay without messages. */
export type Reachability = 'reachable' | 'refused' | 'silent' | 'mute'

export type StreamingVendors = Awaited<ReturnType<typeof startStreamingVendors>>

/** Starts all vendors that stream, with clients that share the call's clock. */
export async function startStreamingVendors(vocabulary = '') {
  const recognize = (recording: Recording): string => recognizeTones(recording, vocabulary)
  const time = createManualClock()
  const deepgram = await startDeepgramServer({ recognize })
  const elevenLabs = await startElevenLabsServer({
    recognize: (samples) => recognize({ samples, rateHz: RATE_HZ }),
    sendsInterims: true,
  })
  const cartesia = await startCartesiaServer()
  const ports: Readonly<Record<StreamingProvider, number>> = {
    deepgram: deepgram.port,
    elevenlabs: elevenLabs.port,
    cartesia: cartesia.port,
  }
  const listConnections = (port: number): readonly VendorConnection[] =>
    [deepgram, elevenLabs, cartesia]
      .filter((server) => server.port === port)
      .flatMap(({ connections }) => connections.map(toVendorConnection))
  const network = createFaultyNetwork(time.clock, (port) => {
    for (const connection of listConnections(port)) connection.mute()
  })
  const http = createModelDispatcher()
  const builtIn = createScriptedSynthesizer({ clock: time.clock, name: 'builtin/flite' })
  const vendors = createSpeechVendors({
    settings: { synthesis: null, voices: [], transcription: null },
    keys: {
      async findKey(_workspaceId, service) {
        if (!(service in ports)) return null
        const port = ports[service as StreamingProvider]
        const apiKey = service === 'deepgram' ? DEEPGRAM_KEY : KEY
        return { apiKey, baseUrl: `http://127.0.0.1:${port}`, isStored: true, isShared: false }
      },
    },
    builtInTranscriber: null,
    direct: { http, openSocket: network.openSocket },
    guarded: { http, openSocket: network.openSocket },
    clock: time.clock,
    builtIn: { ...builtIn.synthesizer, supports: () => true },
  })
  return {
    time,
    deepgram,
    elevenLabs,
    cartesia,
    speech: await vendors.forWorkspace(1),
    setReachability: (provider: StreamingProvider, status: Reachability) =>
      network.setReachability(ports[provider], status),
    /** Lists the open connections in the order of opening. */
    listOpenConnections: (provider: StreamingProvider) =>
      listConnections(ports[provider]).filter(({ isOpen }) => isOpen),
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await Promise.all([deepgram, elevenLabs, cartesia].map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

/** Creates a network in which the vendors at some ports fail. `mute` silences the connections of a port. */
function createFaultyNetwork(clock: Clock, mute: (port: number) => void) {
  const statuses = new Map<number, Reachability>()
  const failure: SocketOutcome = { ok: false, reason: 'network', message: 'The server is unreachable.', status: null }

  function waitForTimeout({ timeoutMs, signal }: Parameters<OpenGuardedSocket>[0]): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(timeoutMs, resolve)
      signal?.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }

  const openSocket: OpenGuardedSocket = async (request) => {
    const port = Number(new URL(request.url).port)
    const status = statuses.get(port) ?? 'reachable'
    if (status === 'refused') return failure
    if (status === 'silent') {
      await waitForTimeout(request)
      return { ...failure, reason: 'timeout' }
    }
    const outcome = await createLoopbackOpener(port, clock)(request)
    if (status === 'mute') mute(port)
    return outcome
  }
  return { openSocket, setReachability: (port: number, status: Reachability) => void statuses.set(port, status) }
}

type ServerConnection = Omit<VendorConnection, 'send' | 'mute'> & { mute?(): void } & (
    | { send(data: string): void }
    | { sendRaw(data: string): void }
  )

function toVendorConnection(connection: ServerConnection): VendorConnection {
  return {
    isOpen: connection.isOpen,
    drop: () => connection.drop(),
    close: (code) => connection.close(code),
    mute: () => connection.mute?.(),
    send: (data) => ('sendRaw' in connection ? connection.sendRaw(data) : connection.send(data)),
  }
}

/** Recognizes the whole words of a vocabulary by their lengths, which must differ. */
function recognizeTones(recording: Recording, vocabulary: string): string {
  return findToneWords(recording)
    .filter(({ durationMs }) => durationMs > MIN_WORD_MS)
    .flatMap(({ letters }) => vocabulary.split(' ').filter(({ length }) => length === letters))
    .join(' ')
}

interface StreamingCallOptions {
  readonly model: LanguageModel
  /** Vendors and voices in fallback order. */
  readonly voices: readonly { readonly provider: StreamingProvider; readonly vendorVoice: string }[]
  /** Preferred transcriber, or null for none at all. */
  readonly transcriber?: { readonly provider: StreamingProvider; readonly language: string } | null
}

/** Starts a call with real clients of these vendors. */
export async function startStreamingCall(
  { time, speech }: StreamingVendors,
  { model, voices, transcriber = null }: StreamingCallOptions,
) {
  const selection = speech.selectVoices(
    voices.map((voice) => ({ ...voice, gender: 'female' as const })),
    { model: null, language: 'en-US' },
  )
  const { transcribers } =
    transcriber === null ? { transcribers: [] } : speech.selectTranscribers({ mode: 'custom', ...transcriber })
  const call = await startRecordedAudioCall({
    time,
    rateHz: RATE_HZ,
    voices: selection.voices,
    transcribers,
    turns: { transcriberP99Ms: transcribers[0]?.finalP99Ms ?? 0 },
    model,
    async onStep() {
      for (let turn = 0; turn < TURNS_PER_STEP; turn += 1) await nextTurn()
    },
  })
  return Object.assign(call, {
    /** Reserves a connection of the first voice, like a call does before its first words. */
    connectVoice(): () => void {
      const [{ synthesizer, voice, model: voiceModel }] = selection.voices
      const release = synthesizer.connect?.({ voice, model: voiceModel, language: 'en-US', rateHz: RATE_HZ })
      return release ?? (() => undefined)
    },
    async [Symbol.asyncDispose]() {
      call.session.end('manual_stopped', false)
      await call.run(20)
    },
  })
}
