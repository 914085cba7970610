import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { type Frame, receiveFrames, sendFrame, startChannelProcess } from '../process-channel.ts'
import { MEMORY_SIGNAL, type ReaderCommand, type ReaderOptions, type ReaderResponse } from './document-protocol.ts'

/** Reason why a process ended without a response. */
export type ProcessFailure = 'out-of-memory' | 'broken'

const MEBIBYTE = 1024 * 1024

/** Signals that terminate a process that is out of memory. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', MEMORY_SIGNAL]
const OUT_OF_MEMORY_EXIT_CODES: readonly (number | null)[] = [133, 134]

/**
 * A child process that reads documents. A thread would not be enough, because a thread that is out of memory terminates the
 * server. The child process does not keep the server running.
 */
export class DocumentProcess {
  readonly #child: ChildProcess
  readonly #channel: Duplex
  #resolveRequest: ((response: Frame<ReaderResponse> | ProcessFailure) => void) | null = null
  #failure: ProcessFailure | null = null
  #isTerminating = false
  /** Resolves when the process has exited, regardless of the reason. */
  readonly exited: Promise<void>

  constructor(memoryBytes: number) {
    const options: ReaderOptions = { memoryBytes, parentId: process.pid }
    const { child, channel } = startChannelProcess({
      file: new URL('./document-reader.ts', import.meta.url),
      nodeFlags: [`--max-old-space-size=${Math.ceil(memoryBytes / MEBIBYTE)}`],
      programArguments: [JSON.stringify(options)],
    })
    this.#child = child
    this.#channel = channel
    receiveFrames<ReaderResponse>(this.#channel, (frame) => this.#finishRequest(frame))
    this.exited = new Promise((resolve) => {
      const handleEnd = (failure: ProcessFailure): void => {
        this.#failure ??= failure
        this.#channel.destroy()
        this.#finishRequest(this.#failure)
        resolve()
      }
      this.#child.once('error', () => handleEnd('broken'))
      this.#child.once('exit', (code, signal) => handleEnd(toProcessFailure(code, signal)))
    })
  }

  /**
   * Sends a request and waits for its response. Only one request can run at a time. Never rejects. The bytes must not change
   * until the response arrives.
   */
  request(command: ReaderCommand, bytes?: Uint8Array): Promise<Frame<ReaderResponse> | ProcessFailure> {
    if (this.#failure !== null) return Promise.resolve(this.#failure)
    return new Promise((resolve) => {
      this.#resolveRequest = resolve
      sendFrame(this.#channel, command, bytes)
    })
  }

  /** Whether the process accepts requests. */
  get isAlive(): boolean {
    return this.#failure === null && !this.#isTerminating
  }

  /** Terminates the process, regardless of its current work. */
  async terminate(): Promise<void> {
    this.#isTerminating = true
    this.#child.kill('SIGKILL')
    await this.exited
  }

  #finishRequest(response: Frame<ReaderResponse> | ProcessFailure): void {
    const resolve = this.#resolveRequest
    this.#resolveRequest = null
    resolve?.(response)
  }
}

function toProcessFailure(code: number | null, signal: string | null): ProcessFailure {
  return OUT_OF_MEMORY_SIGNALS.includes(signal) || OUT_OF_MEMORY_EXIT_CODES.includes(code) ? 'out-of-memory' : 'broken'
}
