import { type CallAudioOptions, openCallAudio } from './audio/call-audio.ts'
import type { AudioPort } from './call.ts'
import { CallProblem } from './call-problem.ts'
import { type ChannelEvent, type Entry, LiveChannel, type LiveSocket } from './channel/live-channel.ts'
import { type JoinedMessage, LIVE_PATH } from './channel/live-protocol.ts'
import { browserClock, type ClientClock } from './clock.ts'
import { findSpeechRecognizer, type SpeechRecognizer } from './recognition.ts'

/** Browser APIs that a call uses. */
export interface CallEnvironment {
  readonly clock: ClientClock
  /** URL of the page. */
  readonly pageUrl: string
  readonly language: string
  readonly openAudio: (options: CallAudioOptions) => Promise<AudioPort & { readonly cancelsEcho: boolean }>
  readonly openSocket: (address: string) => LiveSocket
  readonly createRecognizer: (() => SpeechRecognizer) | null
  /** Reports possible network changes and user gestures. Returns a function that stops reporting. */
  readonly watch: (onNetworkChange: () => void, onGesture: () => void) => () => void
}

interface JoinOptions {
  /** URL of the server. Defaults to the server of the page. */
  readonly baseUrl: string | undefined
  readonly entry: Entry
  readonly onEvent: (event: ChannelEvent) => void
}

/** Joins a call and resolves when it is connected. Later events go to `onEvent`. */
export function joinLiveChannel(
  { clock, openSocket, pageUrl }: CallEnvironment,
  { baseUrl = pageUrl, entry, onEvent: handleEvent }: JoinOptions,
): Promise<{ readonly channel: LiveChannel; readonly joined: JoinedMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ channel: LiveChannel; joined: JoinedMessage }>()
  let isJoined = false
  const channel: LiveChannel = new LiveChannel({
    address: buildLiveUrl(baseUrl),
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

/** Returns the URL of the live channel. */
export function buildLiveUrl(baseUrl: string): string {
  const url = new URL(LIVE_PATH, baseUrl)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  return url.href
}

/** Creates the environment of a page. */
export function createBrowserEnvironment(): CallEnvironment {
  const Recognizer = findSpeechRecognizer()
  return {
    clock: browserClock,
    pageUrl: location.href,
    language: document.documentElement.lang || navigator.language || 'en-US',
    openAudio: openCallAudio,
    openSocket: (address) => new WebSocket(address) as LiveSocket,
    createRecognizer: Recognizer === null ? null : () => new Recognizer(),
    watch(onNetworkChange, onGesture) {
      const controller = new AbortController()
      const { signal } = controller
      for (const name of ['online', 'offline']) addEventListener(name, onNetworkChange, { signal })
      for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, onGesture, { signal })
      document.addEventListener('visibilitychange', onNetworkChange, { signal })
      return () => controller.abort()
    },
  }
}
