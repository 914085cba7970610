import { browserEnvironment, type CallEnvironment, enter } from './call-environment.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent } from './channel/live-channel.ts'
import { LIVE_PROTOCOL } from './channel/live-protocol.ts'
import { MonitoredCall } from './monitored-call.ts'

export interface ListenToCallOptions {
  /** Token to hear a live call, which the API answers to those who may. */
  readonly accessToken: string
  /** Where the server is; the page's own, when absent. */
  readonly baseUrl?: string
  /** Id of the loudspeaker, where the browser can choose one. */
  readonly speaker?: string
}

/** Hears both sides of a live call, without a microphone. Resolves once it is heard, and rejects with a `CallProblem`. */
export async function listenToCall(options: ListenToCallOptions): Promise<MonitoredCall> {
  return listenToCallIn(browserEnvironment(), options)
}

/** `listenToCall` at a place of one's own. */
export async function listenToCallIn(
  environment: CallEnvironment,
  { accessToken, baseUrl, speaker }: ListenToCallOptions,
): Promise<MonitoredCall> {
  if (accessToken === '') throw new CallProblem('token_invalid')
  let call: MonitoredCall | null = null
  const audio = await environment.openAudio({
    microphone: false,
    speaker: speaker ?? null,
    onMessage: (message) => call?.handleAudioMessage(message),
    onMicrophoneLost: () => undefined,
  })
  audio.resume()
  const earlyEvents: ChannelEvent[] = []
  try {
    const { channel, joined } = await enter(environment, {
      baseUrl,
      entry: { type: 'listen', protocol: LIVE_PROTOCOL, accessToken },
      onEvent: (event) => (call === null ? earlyEvents.push(event) : call.handleChannelEvent(event)),
    })
    const onEnded = environment.watch(
      () => channel.check(),
      () => audio.resume(),
    )
    const monitored = new MonitoredCall({ channel, audio, clock: environment.clock, joined, onEnded })
    call = monitored
    for (const event of earlyEvents.splice(0)) monitored.handleChannelEvent(event)
    return monitored
  } catch (error) {
    audio.close()
    throw error
  }
}
