import { type CallAudioOptions, openCallAudio } from './audio/call-audio.ts'
import type { AudioPort } from './call.ts'
import { CallProblem } from './call-problem.ts'
import { type ChannelEvent, type Entry, LiveChannel, type LiveSocket } from './channel/live-channel.ts'
import { type JoinedMessage, LIVE_PATH } from './channel/live-protocol.ts'
import { browserClock, type ClientClock } from './clock.ts'
import { findSpeechRecognizer, type SpeechRecognizer } from './recognition.ts'

/** What a call needs of the place where it runs. */
export interface CallEnvironment {
  readonly clock: ClientClock
  /** Address of the page. */
  readonly pageUrl: string
  readonly language: string
  readonly openAudio: (options: CallAudioOptions) => Promise<AudioPort & { readonly cancelsEcho: boolean }>
  readonly openSocket: (address: string) => LiveSocket
  readonly createRecognizer: (() => SpeechRecognizer) | null
  /** Calls back when the network may have changed, and when the person at the screen did something; returns what ends that. */
  readonly watch: (onNetworkChange: () => void, onGesture: () => void) => () => void
}

interface EnterOptions {
  /** Where the server is; the page's own, when absent. */
  readonly baseUrl: string | undefined
  readonly entry: Entry
  readonly onEvent: (event: ChannelEvent) => void
}

/** Resolves when the call was joined; what comes later goes on to `onEvent`. */
export function enter(
  { clock, openSocket, pageUrl }: CallEnvironment,
  { baseUrl = pageUrl, entry, onEvent: handleEvent }: EnterOptions,
): Promise<{ readonly channel: LiveChannel; readonly joined: JoinedMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ channel: LiveChannel; joined: JoinedMessage }>()
  let isJoined = false
  const channel: LiveChannel = new LiveChannel({
    address: liveAddress(baseUrl),
    entry,
    clock,
    openSocket,
    onEvent(event) {
      if (isJoined) handleEvent(event)
      else if (event.type === 'joined') {
        isJoined = true
        resolve({ channel, joined: event.message })
      } else if (event.type === 'failed') reject(event.problem)
      else if (event.type === 'ended') reject(new CallProblem('call_ended'))
    },
  })
  return promise
}

/** Address of the live channel at a server. */
export function liveAddress(baseUrl: string): string {
  const url = new URL(LIVE_PATH, baseUrl)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  return url.href
}

/** That of the page. */
export function browserEnvironment(): CallEnvironment {
  const Recognizer = findSpeechRecognizer()
  return {
    clock: browserClock,
    pageUrl: location.href,
    language: document.documentElement.lang || navigator.language || 'en-US',
    openAudio: openCallAudio,
    openSocket: (address) => new WebSocket(address) as LiveSocket,
    createRecognizer: Recognizer === null ? null : () => new Recognizer(),
    watch(onNetworkChange, onGesture) {
      const ending = new AbortController()
      const { signal } = ending
      for (const name of ['online', 'offline']) addEventListener(name, onNetworkChange, { signal })
      for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, onGesture, { signal })
      document.addEventListener('visibilitychange', onNetworkChange, { signal })
      return () => ending.abort()
    },
  }
}
