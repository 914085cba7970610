import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { getCompileCacheEnvironment } from '../../kernel/work/threads.ts'
import {
  CHANNEL_FD,
  type Frame,
  MEMORY_SIGNAL,
  type ReaderCommand,
  type ReaderOptions,
  type ReaderResponse,
  receiveFrames,
  sendFrame,
} from './document-protocol.ts'

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
    const file = fileURLToPath(new URL('./document-reader.ts', import.meta.url))
    const heapFlag = `--max-old-space-size=${Math.ceil(memoryBytes / MEBIBYTE)}`
    // The server's environment contains secrets, so the process receives only the compile cache variables. Its output is
    // discarded, because parsers can quote the document.
    this.#child = spawn(process.execPath, [heapFlag, '--no-warnings', file, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: getCompileCacheEnvironment(),
      windowsHide: true,
    })
    this.#channel = getChannel(this.#child)
    // A failed write means that the process crashed. The exit event follows.
    this.#channel.on('error', () => {})
    this.#child.unref()
    if ('unref' in this.#channel && typeof this.#channel.unref === 'function') this.#channel.unref()
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

function getChannel(child: ChildProcess): Duplex {
  const channel = child.stdio[CHANNEL_FD]
  if (channel === null || channel === undefined) throw new Error('The process has no channel.')
  return channel as Duplex
}

function toProcessFailure(code: number | null, signal: string | null): ProcessFailure {
  return OUT_OF_MEMORY_SIGNALS.includes(signal) || OUT_OF_MEMORY_EXIT_CODES.includes(code) ? 'out-of-memory' : 'broken'
}
