import { CallProblem } from '../call-problem.ts'
import type { WireRateHz } from '../channel/live-protocol.ts'
import { openMicrophone } from '../devices.ts'
import { getOutputDelayMs } from './playout-position.ts'
import { type FromProcessor, PROCESSOR_NAME, type ToProcessor } from './worklet-messages.ts'

export interface CallAudioOptions {
  /** Microphone ID, `false` for no microphone, or `null` for the system default. */
  readonly microphone: string | null | false
  readonly speaker: string | null
  readonly onMessage: (message: FromProcessor) => void
  /** Called when the microphone was unplugged or its permission was revoked. */
  readonly onMicrophoneLost: () => void
}

/** A separate file, so that pages with a strict content security policy can load the worklet. */
const WORKLET_URL = new URL('./call-worklet.ts', import.meta.url)

/** Opens the microphone and loudspeaker for a call. Rejects with a `CallProblem`. */
export async function openCallAudio(options: CallAudioOptions): Promise<CallAudio> {
  if (!isSecureContext) throw new CallProblem('insecure_context')
  if (typeof AudioWorkletNode === 'undefined') throw new CallProblem('unsupported_browser')
  const stream = options.microphone === false ? null : await openMicrophone(options.microphone)
  let context: AudioContext | null = null
  try {
    context = new AudioContext({ latencyHint: 'interactive' })
    await context.audioWorklet.addModule(WORKLET_URL)
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

/** Microphone and loudspeaker of a call in the browser. */
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

  /** The microphone track, or `null` if there is no microphone. */
  get track(): MediaStreamTrack | null {
    return this.#stream?.getAudioTracks()[0] ?? null
  }

  /** Whether the browser cancels the agent's echo. */
  get cancelsEcho(): boolean {
    return this.track?.getSettings().echoCancellation === true
  }

  /** Whether the browser allows playback, which can require a user gesture. */
  get isRunning(): boolean {
    return this.#context.state === 'running'
  }

  /** Whether the user has interacted with the page, so that the browser does not block playback. */
  get isPlaybackAllowed(): boolean {
    return navigator.userActivation?.hasBeenActive === true
  }

  /** Delay in milliseconds from playback to the loudspeaker. */
  get outputDelayMs(): number {
    return getOutputDelayMs(this.#context)
  }

  /** Audio node with the agent's audio, for example for meters. */
  get output(): AudioNode {
    return this.#node
  }

  /** Starts playback as soon as the browser allows it. */
  resume(): void {
    // Without a user gesture, playback waits for the next call of `resume`.
    this.#context.resume().catch(() => undefined)
  }

  /** Starts both directions at the sample rate of the call. Microphone samples count from `captureFrom`. */
  start(captureFrom: number, rateHz: WireRateHz): void {
    this.#post({ type: 'start', rateHz, captureFrom })
  }

  play(startSample: number, samples: Int16Array): void {
    this.#post({ type: 'play', startSample, samples })
  }

  clear(): void {
    this.#post({ type: 'clear' })
  }

  /** Plays the agent with a gain of `db` decibels, reached within `rampMs`. */
  setGain(db: number, rampMs: number): void {
    this.#post({ type: 'gain', db, rampMs })
  }

  setMuted(muted: boolean): void {
    this.#isMuted = muted
    if (this.track) this.track.enabled = !muted
  }

  /** Switches to another microphone. If that fails, the previous microphone stays active. */
  async setMicrophone(deviceId: string | null): Promise<void> {
    const stream = await openMicrophone(deviceId)
    if (this.#isClosed) for (const track of stream.getTracks()) track.stop()
    else this.useMicrophone(stream)
  }

  async setSpeaker(deviceId: string): Promise<void> {
    const context = this.#context as AudioContext & { setSinkId?: (id: string) => Promise<void> }
    try {
      if (!context.setSinkId) throw new Error('The browser does not support choosing a speaker.')
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
