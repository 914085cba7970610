import { createManualClock } from '@parley/engine/testing/manual-clock'
import type { CallAudioOptions } from './audio/call-audio.ts'
import type { CallEnvironment } from './call-environment.ts'
import { CallProblem } from './call-problem.ts'
import { FakeSocket } from './channel/fake-socket-test-kit.ts'
import type { SpeechRecognizer } from './recognition.ts'

/** Creates a page with a simulated microphone, loudspeaker and network. */
export function createFakePage() {
  const manual = createManualClock()
  const sockets: FakeSocket[] = []
  const actions: string[] = []
  /** Languages of the started recognizers. */
  const startedLanguages: string[] = []
  const recognizers: SpeechRecognizer[] = []
  const state = {
    isRunning: true,
    isPlaybackAllowed: false,
    hasMicrophone: true,
    hasRecognizer: false,
    isWatched: false,
  }
  let audioOptions: CallAudioOptions | null = null
  let track: MediaStreamTrack | null = null
  const audio: Awaited<ReturnType<CallEnvironment['openAudio']>> = {
    cancelsEcho: true,
    get track() {
      return track
    },
    get isRunning() {
      return state.isRunning
    },
    get isPlaybackAllowed() {
      return state.isPlaybackAllowed
    },
    outputDelayMs: 0,
    output: {} as AudioNode,
    resume: () => actions.push('resume'),
    start: (captureFrom, rateHz) => actions.push(`start ${captureFrom} ${rateHz}`),
    play: (startSample, samples) => actions.push(`play ${startSample} ${samples.length}`),
    clear: () => actions.push('clear'),
    setGain: (db: number, rampMs: number) => actions.push(`gain ${db} in ${rampMs}`),
    setMuted: (muted) => actions.push(`muted ${muted}`),
    setMicrophone: async (deviceId) => {
      if (!state.hasMicrophone) throw new CallProblem('no_microphone')
      actions.push(`microphone ${deviceId}`)
      track = {} as MediaStreamTrack
    },
    setSpeaker: async (deviceId) => void actions.push(`speaker ${deviceId}`),
    close: () => actions.push('close'),
  }
  const createEnvironment = (): CallEnvironment => ({
    clock: manual.clock,
    pageUrl: 'https://voice.example.com/call/call_1',
    language: 'en-GB',
    openAudio: async (options) => {
      audioOptions = options
      track = options.microphone === false ? null : ({} as MediaStreamTrack)
      return audio
    },
    openSocket: (address) => {
      const socket = new FakeSocket(address)
      sockets.push(socket)
      return socket
    },
    createRecognizer: state.hasRecognizer ? () => createFakeRecognizer(startedLanguages, recognizers) : null,
    watch: () => {
      state.isWatched = true
      return () => {
        state.isWatched = false
      }
    },
  })
  return {
    ...{ manual, sockets, actions, startedLanguages, recognizers, state, createEnvironment },
    getSocket: () => sockets.at(-1) as FakeSocket,
    /** Returns the options with which audio was opened. */
    getAudioOptions: () => audioOptions as CallAudioOptions,
  }
}

/** Collects the names and payloads of the named events. */
export function collectEvents<Name extends string>(
  call: { on(name: Name, listener: (event: unknown) => void): unknown },
  names: string,
): unknown[] {
  const events: unknown[] = []
  for (const name of names.split(' ') as Name[]) call.on(name, (event) => events.push(name, event))
  return events
}

/** Adds a recognizer that only records the languages with which it is started. */
function createFakeRecognizer(startedLanguages: string[], recognizers: SpeechRecognizer[]): SpeechRecognizer {
  const recognizer: SpeechRecognizer = {
    ...{ lang: '', continuous: false, interimResults: false, maxAlternatives: 0 },
    ...{ onresult: null, onerror: null, onend: null },
    start(this: { lang: string }) {
      startedLanguages.push(this.lang)
    },
    abort: () => undefined,
  }
  recognizers.push(recognizer)
  return recognizer
}
