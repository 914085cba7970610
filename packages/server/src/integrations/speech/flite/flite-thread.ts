import { Worker } from 'node:worker_threads'
import { compileCacheEnvironment } from '../../../kernel/work/threads.ts'
import { errorOf, faultOf } from './flite-error.ts'
import type { FliteJob, FliteRequest, FliteResponse } from './flite-protocol.ts'

/** Of the thread's heap; the synthesiser's own memory, some 25 MB a run, lies outside of it. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128 }

export type FliteReply = Exclude<FliteResponse, { kind: 'audio' }>['kind'] | 'lost'

/** Who waits for a text: `audio` comes before `words`, after which `ended` is called once, as it is for any failure. */
export interface FliteListener {
  onResponse(onResponse: FliteResponse): void
  ended(reply: FliteReply): void
}

/** A thread that speaks, as its pool knows it. */
export type SpeakingThread = Pick<FliteThread, 'speak' | 'end' | 'exited'>

/** The main thread's end of a thread that speaks, one text at a time. It does not keep the process alive. */
export class FliteThread {
  readonly #worker: Worker
  readonly #onFailure: (error: Error) => void
  #number = 0
  #listener: FliteListener | null = null
  #isEnding = false
  #hasExited = false
  /** Resolves when the thread is gone, whatever the reason. */
  readonly exited: Promise<void>

  /** `onFailure` is told why a text could not be spoken, or the thread died; its errors do not quote the text. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure
    // No inherited flags and no environment beyond the cache: the thread needs neither, and the environment holds secrets.
    this.#worker = new Worker(new URL('./flite-worker.ts', import.meta.url), {
      name: 'speech',
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: compileCacheEnvironment(),
    })
    this.#worker.unref()
    this.#worker.on('message', (onResponse: FliteResponse) => this.#onMessage(onResponse))
    // An error is followed by the exit.
    this.#worker.on('error', (error) => onFailure(errorOf(faultOf(error))))
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#hasExited = true
        this.#end('lost')
        resolve()
      })
    })
  }

  /** Speaks one text; the next one after this has ended. */
  speak(request: FliteRequest, listener: FliteListener): void {
    this.#number += 1
    this.#listener = listener
    const order: FliteJob = { ...request, number: this.#number }
    if (this.#hasExited) this.#end('lost')
    else this.#worker.postMessage(order)
  }

  /** Ends the thread, whatever it does. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#worker.terminate()
    await this.exited
  }

  #onMessage(onResponse: FliteResponse): void {
    if (onResponse.number !== this.#number) return
    this.#listener?.onResponse(onResponse)
    if (onResponse.kind === 'error') this.#onFailure(errorOf(onResponse.fault))
    // An answer may have been on its way when the end came.
    if (onResponse.kind !== 'audio') this.#end(this.#isEnding ? 'lost' : onResponse.kind)
  }

  #end(reply: FliteReply): void {
    const listener = this.#listener
    this.#listener = null
    listener?.ended(reply)
  }
}
