import { Call } from './call.ts'
import { browserEnvironment, type CallEnvironment, enter } from './call-environment.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent, Entry } from './channel/live-channel.ts'
import { LIVE_PROTOCOL, type WireRateHz } from './channel/live-protocol.ts'

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
  const audio = await environment.openAudio({
    microphone,
    speaker: options.speaker ?? null,
    onMessage: (message) => call?.handleAudioMessage(message),
    onMicrophoneLost: () => void call?.replaceMicrophone(),
  })
  audio.resume()
  const createRecognizer = options.recognition === false ? null : environment.createRecognizer
  const entry = entryWith({
    rateHz: options.rateHz ?? 16_000,
    recognition: createRecognizer !== null && microphone !== false,
    echoCancellation: audio.cancelsEcho,
  })
  const earlyEvents: ChannelEvent[] = []
  try {
    const { channel, joined } = await enter(environment, {
      baseUrl: options.baseUrl,
      entry,
      onEvent: (event) => (call === null ? earlyEvents.push(event) : call.handleChannelEvent(event)),
    })
    const endWatch = environment.watch(
      () => channel.check(),
      () => audio.resume(),
    )
    const isResumed = entry.type === 'resume'
    const language = options.language ?? (joined.language || environment.language)
    const speech = { language, hasExplicitLanguage: options.language !== undefined, createRecognizer }
    const startedCall = new Call({ channel, audio, clock, joined, isResumed, ...speech, onEnded: endWatch })
    call = startedCall
    for (const event of earlyEvents.splice(0)) startedCall.handleChannelEvent(event)
    return startedCall
  } catch (error) {
    audio.close()
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
