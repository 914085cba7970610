import { Call } from './call.ts'
import { type CallEnvironment, createBrowserEnvironment, joinLiveChannel } from './call-environment.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent, Entry } from './channel/live-channel.ts'
import { LIVE_PROTOCOL, type WireRateHz } from './channel/live-protocol.ts'

export interface StartCallOptions {
  /** Token of a new call, valid once. For a call that waits for its caller, use `resumeToken`. */
  readonly accessToken?: string
  readonly resumeToken?: string
  /** URL of the server. Defaults to the server of the page. */
  readonly baseUrl?: string
  /** ID of the microphone, or `false` to type only. Defaults to the system's microphone. */
  readonly microphone?: string | false
  /** ID of the loudspeaker, if the browser supports selecting one. */
  readonly speaker?: string
  /** Samples per second of a new call: 16000 (default), or 8000 for slow connections. */
  readonly rateHz?: WireRateHz
  /** Whether the browser can recognize speech if the server cannot. Defaults to true. */
  readonly recognition?: boolean
  /**
   * Language of speech recognition, such as `en-US`. Defaults to the language of the agent, or of the page if it is unknown.
   */
  readonly language?: string
}

/** Joins a call. Resolves when the call is connected. Rejects with a `CallProblem`. */
export async function startCall(options: StartCallOptions): Promise<Call> {
  return startCallIn(createBrowserEnvironment(), options)
}

/** Runs `startCall` in a specific environment. */
export async function startCallIn(environment: CallEnvironment, options: StartCallOptions): Promise<Call> {
  const { clock } = environment
  const buildEntry = createEntryBuilder(options)
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
  const entry = buildEntry({
    rateHz: options.rateHz ?? 16_000,
    recognition: createRecognizer !== null && microphone !== false,
    echoCancellation: audio.cancelsEcho,
  })
  const earlyEvents: ChannelEvent[] = []
  try {
    const { channel, joined } = await joinLiveChannel(environment, {
      baseUrl: options.baseUrl,
      entry,
      onEvent: (event) => (call === null ? earlyEvents.push(event) : call.handleChannelEvent(event)),
    })
    const stopWatching = environment.watch(
      () => channel.check(),
      () => audio.resume(),
    )
    const isResumed = entry.type === 'resume'
    const language = options.language ?? (joined.language || environment.language)
    const recognition = { language, hasExplicitLanguage: options.language !== undefined, createRecognizer }
    const startedCall = new Call({
      channel,
      audio,
      clock,
      joined,
      isResumed,
      ...recognition,
      onEnded: stopWatching,
    })
    call = startedCall
    for (const event of earlyEvents.splice(0)) startedCall.handleChannelEvent(event)
    return startedCall
  } catch (error) {
    audio.close()
    throw error
  }
}

type JoinSettings = Omit<Extract<Entry, { type: 'join' }>, 'type' | 'protocol' | 'accessToken'>

/** Returns a function that builds the entry message from the audio settings. A resumed call keeps its settings. */
function createEntryBuilder({ accessToken, resumeToken }: StartCallOptions): (settings: JoinSettings) => Entry {
  if (resumeToken) return () => ({ type: 'resume', resumeToken })
  if (accessToken) return (settings) => ({ type: 'join', protocol: LIVE_PROTOCOL, accessToken, ...settings })
  throw new CallProblem('token_invalid')
}
