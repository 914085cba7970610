import type { Transcriber } from '@parley/engine/voice/ports'
import { createTestClock, type TestClock } from '../../models/model-test-kit.ts'
import type { RecognizerProcess } from './moonshine-process.ts'
import type { Recognition, RecognitionRequest } from './moonshine-protocol.ts'
import { MoonshineSession } from './moonshine-session.ts'
import { RecognitionScheduler, type RecognitionSchedulerOptions } from './recognition-scheduler.ts'

/** A process whose model the test replaces. */
export class TestRecognizer implements RecognizerProcess {
  readonly pid = 1
  readonly #ready = Promise.withResolvers<boolean>()
  readonly #exit = Promise.withResolvers<string>()
  readonly ready = this.#ready.promise
  readonly exited = this.#exit.promise
  readonly requests: RecognitionRequest[] = []
  #respond: ((recognition: Recognition | null) => void) | null = null

  /** Whether a request is running. */
  get isBusy(): boolean {
    return this.#respond !== null
  }

  recognize(request: RecognitionRequest): Promise<Recognition | null> {
    if (this.isBusy) throw new Error('The process is busy.')
    this.requests.push(request)
    return new Promise((resolve) => {
      this.#respond = resolve
    })
  }

  async load(): Promise<void> {
    this.#ready.resolve(true)
    await settle()
  }

  /** Answers the running request. */
  async answer(text: string, tokens: readonly number[] = []): Promise<void> {
    this.#finish({ text, tokens })
    await settle()
  }

  async exit(): Promise<void> {
    this.#exit.resolve('code 1')
    this.#ready.resolve(false)
    this.#finish(null)
    await settle()
  }

  terminate(): Promise<void> {
    return this.exit()
  }

  #finish(recognition: Recognition | null): void {
    const respond = this.#respond
    this.#respond = null
    respond?.(recognition)
  }
}

/** Runs all pending promise callbacks. */
async function settle(): Promise<void> {
  for (let round = 0; round < 8; round += 1) await Promise.resolve()
}

export interface TestScheduler {
  readonly clock: TestClock
  readonly processes: readonly TestRecognizer[]
  readonly logged: readonly unknown[]
  readonly scheduler: RecognitionScheduler
  readonly transcriber: Transcriber
  /** Returns the last started process. */
  getProcess(): TestRecognizer
}

export function openTestScheduler(overrides: Partial<RecognitionSchedulerOptions> = {}): TestScheduler {
  const clock = createTestClock()
  const processes: TestRecognizer[] = []
  const logged: unknown[] = []
  const scheduler = new RecognitionScheduler({
    clock,
    maxWaiting: 100,
    idleMs: 60_000,
    startLimitMs: 30_000,
    workLimitMs: 10_000,
    logError: (error) => logged.push(error),
    startProcess() {
      processes.push(new TestRecognizer())
      return processes.at(-1) as TestRecognizer
    },
    ...overrides,
  })
  return {
    clock,
    processes,
    logged,
    scheduler,
    transcriber: {
      name: 'builtin/test',
      finalP99Ms: 500,
      open: (session) => new MoonshineSession(scheduler, clock, session),
    },
    getProcess() {
      const recognizer = processes.at(-1)
      if (recognizer === undefined) throw new Error('No process was started.')
      return recognizer
    },
  }
}
