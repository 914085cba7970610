import { CallAudioCore } from './call-audio-core.ts'
import { type FromProcessor, PROCESSOR_NAME, type ToProcessor } from './worklet-messages.ts'

/** Global scope of an audio worklet. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
declare const sampleRate: number

/** Block size in all browsers. */
const BLOCK_SAMPLES = 128

class CallAudioProcessor extends AudioWorkletProcessor {
  /** Created when the call starts, since the sample rate is unknown before that. */
  #core: CallAudioCore | null = null
  #isEnded = false

  constructor() {
    super()
    const post = (message: FromProcessor): void => {
      this.port.postMessage(message, message.type === 'captured' ? [message.samples.buffer] : [])
    }
    this.port.onmessage = ({ data }: MessageEvent<ToProcessor>) => {
      this.#isEnded ||= data.type === 'end'
      if (data.type === 'start') this.#core = new CallAudioCore(data, sampleRate, BLOCK_SAMPLES, post)
      else this.#core?.handle(data)
    }
  }

  process(inputs: readonly (readonly Float32Array[])[], outputs: readonly (readonly Float32Array[])[]): boolean {
    const [output] = outputs[0] ?? []
    if (output) this.#core?.process(inputs[0]?.[0], output)
    return !this.#isEnded
  }
}

registerProcessor(PROCESSOR_NAME, CallAudioProcessor)
