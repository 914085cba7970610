import { CallSoundCore } from './call-sound-core.ts'
import { type FromProcessor, PROCESSOR_NAME, type ProcessorOptions, type ToProcessor } from './worklet-messages.ts'

/** What a browser offers inside of an audio worklet. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare function registerProcessor(
  name: string,
  processor: new (options: ProcessorSetting) => AudioWorkletProcessor,
): void
declare const sampleRate: number

interface ProcessorSetting {
  readonly processorOptions: ProcessorOptions
}

/** Samples of one block: browsers know one size. */
const BLOCK_SAMPLES = 128

class CallSoundProcessor extends AudioWorkletProcessor {
  readonly #core: CallSoundCore
  #isOver = false

  constructor({ processorOptions }: ProcessorSetting) {
    super()
    this.#core = new CallSoundCore(processorOptions, sampleRate, BLOCK_SAMPLES, (message: FromProcessor) => {
      this.port.postMessage(message, message.type === 'captured' ? [message.samples.buffer] : [])
    })
    this.port.onmessage = ({ data }: MessageEvent<ToProcessor>) => {
      this.#isOver ||= data.type === 'end'
      this.#core.hear(data)
    }
  }

  process(inputs: readonly (readonly Float32Array[])[], outputs: readonly (readonly Float32Array[])[]): boolean {
    const [output] = outputs[0] ?? []
    if (output) this.#core.process(inputs[0]?.[0], output)
    return !this.#isOver
  }
}

registerProcessor(PROCESSOR_NAME, CallSoundProcessor)
