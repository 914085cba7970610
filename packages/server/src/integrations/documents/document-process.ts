import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { getCompileCacheEnvironment } from '../../kernel/work/threads.ts'
import {
  type Answer,
  CHANNEL,
  type Frame,
  MEMORY_SIGNAL,
  type ReaderCommand,
  type ReaderOptions,
  receiveFrames,
  sendFrame,
} from './document-protocol.ts'

/** Reason why a process ended without a response. */
export type ProcessFailure = 'out-of-memory' | 'broken'

const MEBIBYTE = 1024 * 1024

/** Signals with which Node ends if its heap is full. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', MEMORY_SIGNAL]
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [133, 134]

/**
 * The server's side of a process that reads documents. The process does not keep the server alive. A thread would not be
 * enough, because a full heap ends the whole process.
 */
export class DocumentProcess {
  readonly #child: ChildProcess
  readonly #channel: Duplex
  #settle: ((answer: Frame<Answer> | ProcessFailure) => void) | null = null
  #end: ProcessFailure | null = null
  #isEnding = false
  /** Resolves when the process has exited, regardless of the reason. */
  readonly exited: Promise<void>

  constructor(memoryBytes: number) {
    const setting: ReaderOptions = { memoryBytes, parentId: process.pid }
    const file = fileURLToPath(new URL('./document-reader.ts', import.meta.url))
    const heap = `--max-old-space-size=${Math.ceil(memoryBytes / MEBIBYTE)}`
    // The process receives no environment beyond the cache, because the environment contains secrets. Output is discarded,
    // because parsers can quote the document.
    this.#child = spawn(process.execPath, [heap, '--no-warnings', file, JSON.stringify(setting)], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: getCompileCacheEnvironment(),
      windowsHide: true,
    })
    this.#channel = getChannel(this.#child)
    // The process crashed during a write. The exit event follows.
    this.#channel.on('error', () => {})
    this.#child.unref()
    if ('unref' in this.#channel && typeof this.#channel.unref === 'function') this.#channel.unref()
    receiveFrames<Answer>(this.#channel, (frame) => this.#answer(frame))
    this.exited = new Promise((resolve) => {
      const ended = (end: ProcessFailure): void => {
        this.#end ??= end
        this.#channel.destroy()
        this.#answer(this.#end)
        resolve()
      }
      this.#child.once('error', () => ended('broken'))
      this.#child.once('exit', (code, signal) => ended(toProcessFailure(code, signal)))
    })
  }

  /**
   * Sends one request at a time and waits for the response. Never rejects. The bytes must not change until the response
   * arrives.
   */
  ask(order: ReaderCommand, bytes?: Uint8Array): Promise<Frame<Answer> | ProcessFailure> {
    if (this.#end !== null) return Promise.resolve(this.#end)
    return new Promise((resolve) => {
      this.#settle = resolve
      sendFrame(this.#channel, order, bytes)
    })
  }

  /** Whether the process accepts requests. */
  get isAlive(): boolean {
    return this.#end === null && !this.#isEnding
  }

  /** Terminates the process, regardless of its current work. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#child.kill('SIGKILL')
    await this.exited
  }

  #answer(answer: Frame<Answer> | ProcessFailure): void {
    const settle = this.#settle
    this.#settle = null
    settle?.(answer)
  }
}

function getChannel(child: ChildProcess): Duplex {
  const channel = child.stdio[CHANNEL]
  if (channel === null || channel === undefined) throw new Error('The process has no channel.')
  return channel as Duplex
}

function toProcessFailure(code: number | null, signal: string | null): ProcessFailure {
  return OUT_OF_MEMORY_SIGNALS.includes(signal) || OUT_OF_MEMORY_CODES.includes(code) ? 'out-of-memory' : 'broken'
}
