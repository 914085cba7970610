import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { receiveFrames, sendFrame, startChannelProcess } from '../../process-channel.ts'
import type { Recognition, RecognitionHeader, RecognitionRequest, RecognizerResponse } from './moonshine-protocol.ts'

/** A process that recognizes one audio at a time. */
export interface RecognizerProcess {
  /** Resolves to true once the model is loaded, and to false if the process ends before. */
  readonly ready: Promise<boolean>
  /** Resolves to the reason when the process has ended. */
  readonly exited: Promise<string>
  readonly pid: number | undefined
  /** Recognizes one audio. The previous one must have ended. Never rejects. Resolves to null if the process ends first. */
  recognize(request: RecognitionRequest): Promise<Recognition | null>
  /** Terminates the process, regardless of its current work. */
  terminate(): Promise<void>
}

/** Heap limit. The model's memory is outside the heap. */
const MAX_HEAP_MB = 256

/** Controls a child process with the model. It does not keep the server running. */
export class MoonshineProcess implements RecognizerProcess {
  readonly #child: ChildProcess
  readonly #channel: Duplex
  readonly #ready = Promise.withResolvers<boolean>()
  #resolveRequest: (recognition: Recognition | null) => void = () => {}
  #hasExited = false
  readonly ready = this.#ready.promise
  readonly exited: Promise<string>

  constructor() {
    const { child, channel } = startChannelProcess({
      file: new URL('./moonshine-worker.ts', import.meta.url),
      nodeFlags: [`--max-old-space-size=${MAX_HEAP_MB}`],
      programArguments: [],
    })
    this.#child = child
    this.#channel = channel
    receiveFrames<RecognizerResponse>(channel, ({ value }) => {
      if (value.kind === 'ready') this.#ready.resolve(true)
      else this.#resolveRequest(value)
    })
    this.exited = new Promise((resolve) => {
      const handleEnd = (reason: string): void => {
        this.#hasExited = true
        channel.destroy()
        this.#ready.resolve(false)
        this.#resolveRequest(null)
        resolve(reason)
      }
      child.once('error', (error) => handleEnd(error.message))
      child.once('exit', (code, signal) => handleEnd(signal ?? `code ${code}`))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  recognize({ samples, rateHz, draft }: RecognitionRequest): Promise<Recognition | null> {
    if (this.#hasExited) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#resolveRequest = resolve
      const header: RecognitionHeader = { rateHz, draft }
      sendFrame(this.#channel, header, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    })
  }

  async terminate(): Promise<void> {
    // Waiting for the exit keeps the server running.
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await this.exited
  }
}
