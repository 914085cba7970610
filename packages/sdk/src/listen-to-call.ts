import { browserEnvironment, type CallEnvironment, enter } from './call-environment.ts'
import { CallProblem } from './call-problem.ts'
import type { ChannelEvent } from './channel/live-channel.ts'
import { LIVE_PROTOCOL } from './channel/live-protocol.ts'
import { HeardCall } from './heard-call.ts'

export interface ListenToCallOptions {
  /** Token to hear a live call, which the API answers to those who may. */
  readonly accessToken: string
  /** Where the server is; the page's own, when absent. */
  readonly baseUrl?: string
  /** Id of the loudspeaker, where the browser can choose one. */
  readonly speaker?: string
}

/** Hears both sides of a live call, without a microphone. Resolves once it is heard, and rejects with a `CallProblem`. */
export async function listenToCall(options: ListenToCallOptions): Promise<HeardCall> {
  return listenToCallIn(browserEnvironment(), options)
}

/** `listenToCall` at a place of one's own. */
export async function listenToCallIn(
  environment: CallEnvironment,
  { accessToken, baseUrl, speaker }: ListenToCallOptions,
): Promise<HeardCall> {
  if (accessToken === '') throw new CallProblem('token_invalid')
  let call: HeardCall | null = null
  const sound = await environment.openSound({
    microphone: false,
    speaker: speaker ?? null,
    onMessage: (message) => call?.hearSound(message),
    onMicrophoneLost: () => undefined,
  })
  sound.resume()
  const early: ChannelEvent[] = []
  try {
    const { channel, joined } = await enter(environment, {
      baseUrl,
      entry: { type: 'listen', protocol: LIVE_PROTOCOL, accessToken },
      onEvent: (event) => (call === null ? early.push(event) : call.hearChannel(event)),
    })
    const onOver = environment.watch(
      () => channel.check(),
      () => sound.resume(),
    )
    const heard = new HeardCall({ channel, sound, clock: environment.clock, joined, onOver })
    call = heard
    for (const event of early.splice(0)) heard.hearChannel(event)
    return heard
  } catch (error) {
    sound.close()
    throw error
  }
}
