import { CallSoundCore } from './call-sound-core.ts'
import { type FromProcessor, PROCESSOR_NAME, type ToProcessor } from './worklet-messages.ts'

/** What a browser offers inside of an audio worklet. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
declare const sampleRate: number

/** Samples of one block: browsers know one size. */
const BLOCK_SAMPLES = 128

class CallSoundProcessor extends AudioWorkletProcessor {
  /** There from the beginning of the call on: only then its rate is known. */
  #core: CallSoundCore | null = null
  #isOver = false

  constructor() {
    super()
    const tell = (message: FromProcessor): void => {
      this.port.postMessage(message, message.type === 'captured' ? [message.samples.buffer] : [])
    }
    this.port.onmessage = ({ data }: MessageEvent<ToProcessor>) => {
      this.#isOver ||= data.type === 'end'
      if (data.type === 'begin') this.#core = new CallSoundCore(data, sampleRate, BLOCK_SAMPLES, tell)
      else this.#core?.hear(data)
    }
  }

  process(inputs: readonly (readonly Float32Array[])[], outputs: readonly (readonly Float32Array[])[]): boolean {
    const [output] = outputs[0] ?? []
    if (output) this.#core?.process(inputs[0]?.[0], output)
    return !this.#isOver
  }
}

registerProcessor(PROCESSOR_NAME, CallSoundProcessor)
