import { Call, type SoundPort } from './call.ts'
import { CallProblem } from './call-problem.ts'
import { type ChannelEvent, type Entry, LiveChannel, type LiveSocket } from './channel/live-channel.ts'
import { type JoinedMessage, LIVE_PATH, LIVE_PROTOCOL, type WireRateHz } from './channel/live-protocol.ts'
import { browserClock, type ClientClock } from './clock.ts'
import { findSpeechRecogniser, type SpeechRecogniser } from './recognition.ts'
import { type CallSoundOptions, openCallSound } from './sound/call-sound.ts'

export interface StartCallOptions {
  /** Token of a new call, which works once; or else `resumeToken` of a call that waits for its caller to come back. */
  readonly accessToken?: string
  readonly resumeToken?: string
  /** Where the server is; the page's own, when absent. */
  readonly baseUrl?: string
  /** Id of the microphone; `false`: none, the caller types. The system's own, when absent. */
  readonly microphone?: string | false
  /** Id of the loudspeaker, where the browser can choose one. */
  readonly speaker?: string
  /** Samples per second on the wire of a new call: 16000 (default) or 8000 for thin lines. */
  readonly rateHz?: WireRateHz
  /** Whether the browser's own recogniser may be used where the server has none. By default, where there is one. */
  readonly recognition?: boolean
  /** Language that the browser's recogniser is to expect, such as `en-US`; when absent the agent's, or the page's if it has none. */
  readonly language?: string
}

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

/** Joins a call. Resolves once it runs, and rejects with a `CallProblem`. */
export async function startCall(options: StartCallOptions): Promise<Call> {
  return startCallIn(browserEnvironment(), options)
}

/** `startCall` at a place of one's own. */
export async function startCallIn(environment: CallEnvironment, options: StartCallOptions): Promise<Call> {
  const { clock } = environment
  const entryWith = readCredential(options)
  const microphone = options.microphone === undefined ? null : options.microphone
  let call: Call | null = null
  const sound = await environment.openSound({
    microphone,
    speaker: options.speaker ?? null,
    onMessage: (message) => call?.hearSound(message),
    onMicrophoneLost: () => void call?.replaceMicrophone(),
  })
  sound.resume()
  const makeRecogniser = options.recognition === false ? null : environment.makeRecogniser
  const entry = entryWith({
    rateHz: options.rateHz ?? 16_000,
    recognition: makeRecogniser !== null && microphone !== false,
    echoCancellation: sound.cancelsEcho,
  })
  const early: ChannelEvent[] = []
  try {
    const { channel, joined } = await enter(environment, {
      address: liveAddress(options.baseUrl ?? environment.pageUrl),
      entry,
      onEvent: (event) => (call === null ? early.push(event) : call.hearChannel(event)),
    })
    const endWatch = environment.watch(
      () => channel.check(),
      () => sound.resume(),
    )
    const isResumed = entry.type === 'resume'
    const language = options.language ?? (joined.language || environment.language)
    const speech = { language, isLanguageChosen: options.language !== undefined, makeRecogniser }
    const begun = new Call({ channel, sound, clock, joined, isResumed, ...speech, onOver: endWatch })
    call = begun
    for (const event of early.splice(0)) begun.hearChannel(event)
    return begun
  } catch (error) {
    sound.close()
    throw error
  }
}

type JoinSettings = Omit<Extract<Entry, { type: 'join' }>, 'type' | 'protocol' | 'accessToken'>

/** How the call is entered, once it is known what with; a call that goes on keeps what it was joined with. */
function readCredential({ accessToken, resumeToken }: StartCallOptions): (settings: JoinSettings) => Entry {
  if (resumeToken) return () => ({ type: 'resume', resumeToken })
  if (accessToken) return (settings) => ({ type: 'join', protocol: LIVE_PROTOCOL, accessToken, ...settings })
  throw new CallProblem('token_invalid')
}

/** Resolves when the call was joined; what comes later goes on to `onEvent`. */
function enter(
  { clock, openSocket }: CallEnvironment,
  options: { readonly address: string; readonly entry: Entry; readonly onEvent: (event: ChannelEvent) => void },
): Promise<{ readonly channel: LiveChannel; readonly joined: JoinedMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ channel: LiveChannel; joined: JoinedMessage }>()
  let isIn = false
  const channel: LiveChannel = new LiveChannel({
    address: options.address,
    entry: options.entry,
    clock,
    openSocket,
    onEvent(event) {
      if (isIn) options.onEvent(event)
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

function browserEnvironment(): CallEnvironment {
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
