import type { SoundPort } from './call.ts'
import { CallProblem } from './call-problem.ts'
import { type ChannelEvent, type Entry, LiveChannel, type LiveSocket } from './channel/live-channel.ts'
import { type JoinedMessage, LIVE_PATH } from './channel/live-protocol.ts'
import { browserClock, type ClientClock } from './clock.ts'
import { findSpeechRecogniser, type SpeechRecogniser } from './recognition.ts'
import { type CallSoundOptions, openCallSound } from './sound/call-sound.ts'

/** What a call needs of the place where it runs. */
export interface CallEnvironment {
  readonly clock: ClientClock
  /** Address of the page. */
  readonly pageUrl: string
  readonly language: string
  readonly openSound: (options: CallSoundOptions) => Promise<SoundPort & { readonly cancelsEcho: boolean }>
  readonly openSocket: (address: string) => LiveSocket
  readonly makeRecogniser: (() => SpeechRecogniser) | null
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
  { baseUrl = pageUrl, entry, onEvent: hear }: EnterOptions,
): Promise<{ readonly channel: LiveChannel; readonly joined: JoinedMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ channel: LiveChannel; joined: JoinedMessage }>()
  let isIn = false
  const channel: LiveChannel = new LiveChannel({
    address: liveAddress(baseUrl),
    entry,
    clock,
    openSocket,
    onEvent(event) {
      if (isIn) hear(event)
      else if (event.type === 'joined') {
        isIn = true
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
  const Recogniser = findSpeechRecogniser()
  return {
    clock: browserClock,
    pageUrl: location.href,
    language: document.documentElement.lang || navigator.language || 'en-US',
    openSound: openCallSound,
    openSocket: (address) => new WebSocket(address) as LiveSocket,
    makeRecogniser: Recogniser === null ? null : () => new Recogniser(),
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
