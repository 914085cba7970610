import { CallProblem } from '../call-problem.ts'
import type { WireRateHz } from '../channel/live-protocol.ts'
import { openMicrophone } from '../devices.ts'
import { outputDelayMs } from './output-delay.ts'
import { type FromProcessor, PROCESSOR_NAME, type ToProcessor } from './worklet-messages.ts'

export interface CallAudioOptions {
  /** `false`: none; `null`: the one that the system prefers. */
  readonly microphone: string | null | false
  readonly speaker: string | null
  readonly onMessage: (message: FromProcessor) => void
  /** The microphone was pulled out or taken away. */
  readonly onMicrophoneLost: () => void
}

/** The worklet is a file of its own, so that a page whose policy forbids code out of texts can load it. */
const WORKLET_ADDRESS = new URL('./call-worklet.ts', import.meta.url)

/** Microphone and loudspeaker of a call. Rejects with a `CallProblem`. */
export async function openCallAudio(options: CallAudioOptions): Promise<CallAudio> {
  if (!isSecureContext) throw new CallProblem('insecure_context')
  if (typeof AudioWorkletNode === 'undefined') throw new CallProblem('unsupported_browser')
  const stream = options.microphone === false ? null : await openMicrophone(options.microphone)
  let context: AudioContext | null = null
  try {
    context = new AudioContext({ latencyHint: 'interactive' })
    await context.audioWorklet.addModule(WORKLET_ADDRESS)
    const node = new AudioWorkletNode(context, PROCESSOR_NAME, {
      numberOfInputs: 1,
      numberOfOutputs: 1,
      outputChannelCount: [1],
      channelCount: 1,
      channelCountMode: 'explicit',
    })
    const audio = new CallAudio(context, node, options)
    audio.useMicrophone(stream)
    if (options.speaker !== null) await audio.setSpeaker(options.speaker)
    return audio
  } catch (error) {
    for (const track of stream?.getTracks() ?? []) track.stop()
    await context?.close()
    throw error instanceof CallProblem ? error : new CallProblem('unsupported_browser', undefined, { cause: error })
  }
}

/** The sound of one call at the side of the browser. */
export class CallAudio {
  readonly #context: AudioContext
  readonly #node: AudioWorkletNode
  readonly #options: CallAudioOptions
  #stream: MediaStream | null = null
  #source: MediaStreamAudioSourceNode | null = null
  #isMuted = false
  #isClosed = false

  constructor(context: AudioContext, node: AudioWorkletNode, options: CallAudioOptions) {
    this.#context = context
    this.#node = node
    this.#options = options
    node.connect(context.destination)
    node.port.onmessage = ({ data }: MessageEvent<FromProcessor>) => {
      if (!this.#isClosed) options.onMessage(data)
    }
  }

  /** The track of the microphone; `null` without one. */
  get track(): MediaStreamTrack | null {
    return this.#stream?.getAudioTracks()[0] ?? null
  }

  /** Whether the browser takes the agent's voice out of what the microphone hears. */
  get cancelsEcho(): boolean {
    return this.track?.getSettings().echoCancellation === true
  }

  /** Whether the browser lets sound play; it may want a gesture first. */
  get isRunning(): boolean {
    return this.#context.state === 'running'
  }

  /** Milliseconds from what is played by us to what is heard. */
  get outputDelayMs(): number {
    return outputDelayMs(this.#context)
  }

  /** Where the sound of the agent can be drawn from, by a meter for example. */
  get output(): AudioNode {
    return this.#node
  }

  /** Plays as soon as the browser lets it. */
  resume(): void {
    // Where a gesture is missing it waits, and is asked again with the next one.
    this.#context.resume().catch(() => undefined)
  }

  /** Both directions begin, at the rate of the call; samples of the microphone are counted from `captureFrom`. */
  start(captureFrom: number, rateHz: WireRateHz): void {
    this.#post({ type: 'start', rateHz, captureFrom })
  }

  play(startSample: number, samples: Int16Array): void {
    this.#post({ type: 'play', startSample, samples })
  }

  clear(): void {
    this.#post({ type: 'clear' })
  }

  setMuted(muted: boolean): void {
    this.#isMuted = muted
    if (this.track) this.track.enabled = !muted
  }

  /** Changes to another microphone; the one before stays when that one cannot be opened. */
  async setMicrophone(deviceId: string | null): Promise<void> {
    const stream = await openMicrophone(deviceId)
    if (this.#isClosed) for (const track of stream.getTracks()) track.stop()
    else this.useMicrophone(stream)
  }

  async setSpeaker(deviceId: string): Promise<void> {
    const context = this.#context as AudioContext & { setSinkId?: (id: string) => Promise<void> }
    try {
      if (!context.setSinkId) throw new Error('The browser cannot choose a loudspeaker.')
      await context.setSinkId(deviceId === 'default' ? '' : deviceId)
    } catch (error) {
      throw new CallProblem('speaker_not_available', undefined, { cause: error })
    }
  }

  useMicrophone(stream: MediaStream | null): void {
    this.#source?.disconnect()
    for (const track of this.#stream?.getTracks() ?? []) track.stop()
    this.#stream = stream
    this.#source = stream === null ? null : this.#context.createMediaStreamSource(stream)
    this.#source?.connect(this.#node)
    const { track } = this
    if (track === null) return
    track.enabled = !this.#isMuted
    track.addEventListener('ended', () => {
      if (track !== this.track || this.#isClosed) return
      this.useMicrophone(null)
      this.#options.onMicrophoneLost()
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#post({ type: 'end' })
    this.#node.disconnect()
    this.useMicrophone(null)
    this.#context.close().catch(() => undefined)
  }

  #post(message: ToProcessor): void {
    this.#node.port.postMessage(message)
  }
}
