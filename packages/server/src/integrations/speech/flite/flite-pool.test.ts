import type { SpeechFailure } from '@parley/engine/voice/ports'
import { expect, test } from 'vitest'
import { createTestClock } from '../../models/model-test-kit.ts'
import { type FliteListener, FlitePool, type FliteResult, FliteThread, type SpeakingThread } from './flite-pool.ts'
import type { FliteRequest, FliteResponse } from './flite-protocol.ts'

const DEADLINE_MS = 5_000

/** A thread whose speech the test controls. */
class TestThread implements SpeakingThread {
  readonly #exit = Promise.withResolvers<void>()
  readonly exited = this.#exit.promise
  readonly onFailure: (error: unknown) => void
  text: string | null = null
  isEnding = false
  #listener: FliteListener | null = null

  constructor(onFailure: (error: unknown) => void) {
    this.onFailure = onFailure
  }

  speak({ text }: FliteRequest, listener: FliteListener): void {
    this.text = text
    this.#listener = listener
  }

  /** Ends the current text with a result. */
  finish(result: 'words' | 'error' | 'lost' = 'words'): void {
    const listener = this.#listener
    this.#listener = null
    this.text = null
    listener?.onEnd(result)
  }

  async terminate(): Promise<void> {
    this.isEnding = true
    await this.exited
  }

  async exit(): Promise<void> {
    this.finish('lost')
    this.#exit.resolve()
    await this.exited
  }
}

function openPool() {
  const time = createTestClock()
  const threads: TestThread[] = []
  const logged: unknown[] = []
  const state = { canStart: true }
  const pool = new FlitePool({
    clock: time,
    maxThreads: 1,
    maxQueued: 100,
    deadlineMs: DEADLINE_MS,
    idleMs: 60_000,
    logError: (error) => logged.push(error),
    startThread(onFailure) {
      if (!state.canStart) throw new Error('The system cannot start a thread.')
      threads.push(new TestThread(onFailure))
      return threads.at(-1) as TestThread
    },
  })
  return {
    time,
    threads,
    logged,
    seen: state,
    pool,
    /** Enqueues a text and records how it ended. */
    enqueue(text: string) {
      const job: { end: 'none' | 'spoken' | SpeechFailure; cancel: () => void } = { end: 'none', cancel: () => {} }
      job.cancel = pool.enqueue(
        { text, voice: 'slt', speed: 1, rateHz: 8_000 },
        {
          onEvent: () => undefined,
          onEnd: (failure) => {
            job.end = failure ?? 'spoken'
          },
        },
      )
      return job
    },
    thread(): TestThread {
      const thread = threads.at(-1)
      if (thread === undefined) throw new Error('No thread was started.')
      return thread
    },
  }
}

test('fails a text at its deadline and keeps the healthy thread', async () => {
  const { enqueue, thread, threads, time, pool } = openPool()
  const firstJob = enqueue('first')
  const secondJob = enqueue('second')
  time.advance(2_000)
  thread().finish()
  // The thread has worked on the second text for 3 s when the text is 5 s old.
  time.advance(3_000)
  expect([firstJob.end, secondJob.end]).toMatchObject(['spoken', { kind: 'timeout', retryable: true }])
  thread().finish()
  const thirdJob = enqueue('third')
  expect([threads.length, thread().isEnding, thread().text]).toEqual([1, false, 'third'])
  thread().finish()
  expect(thirdJob.end).toBe('spoken')
  const closed = pool.close()
  await thread().exit()
  await closed
  expect(time.pendingTimers).toBe(0)
})

test('speaks half of the texts at double load and starts none too late', () => {
  const { enqueue, thread, threads, time } = openPool()
  const jobs = Array.from({ length: 60 }, (_, index) => {
    const job = enqueue(`text ${index}`)
    time.advance(500)
    if (index % 2 === 1) thread().finish()
    return job
  })
  expect(jobs.filter(({ end }) => end === 'spoken')).toHaveLength(30)
  expect(threads).toHaveLength(1)
})

test('terminates a hanging thread at its time limit, even after a cancellation', async () => {
  const { enqueue, thread, threads, time } = openPool()
  enqueue('heard').cancel()
  const waitingJob = enqueue('next')
  time.advance(DEADLINE_MS)
  expect(thread().isEnding).toBe(true)
  expect(waitingJob.end).toMatchObject({ kind: 'timeout' })
  const laterJob = enqueue('later')
  expect(threads).toHaveLength(1)
  await thread().exit()
  expect([threads.length, thread().text]).toEqual([2, 'later'])
  thread().finish()
  expect(laterJob.end).toBe('spoken')
})

test('fails and logs the reason if no thread can start', async () => {
  const { enqueue, logged, seen } = openPool()
  seen.canStart = false
  const failedJob = enqueue('one')
  await Promise.resolve()
  expect(failedJob.end).toEqual({
    kind: 'unavailable',
    message: 'The thread of the built-in voices could not be started.',
    retryable: true,
  })
  expect(logged).toEqual([new Error('The system cannot start a thread.')])
})

test('logs a repeated failure once until a text succeeds', async () => {
  const { enqueue, thread, logged } = openPool()
  const fail = (reply: 'error' | 'lost'): void => {
    thread().onFailure(new Error(reply))
    thread().finish(reply)
  }
  const [firstJob, secondJob, thirdJob, fourthJob] = ['one', 'two', 'three', 'four'].map(enqueue)
  fail('error')
  fail('error')
  thread().finish()
  thread().onFailure(new Error('lost'))
  await thread().exit()
  expect([firstJob?.end, secondJob?.end, thirdJob?.end, fourthJob?.end]).toMatchObject([
    { kind: 'rejected' },
    { kind: 'rejected' },
    'spoken',
    { kind: 'unavailable', message: 'The thread of the built-in voices ended unexpectedly.' },
  ])
  expect(logged).toEqual([new Error('error'), new Error('lost')])
})

const HELLO: FliteRequest = { text: 'Hello', voice: 'slt', speed: 1, rateHz: 8_000 }

/** Speaks one text and forwards each response. */
function speak(
  thread: FliteThread,
  request: FliteRequest,
  hear: (onResponse: FliteResponse) => void = () => undefined,
) {
  return new Promise<FliteResult>((resolve) => thread.speak(request, { onResponse: hear, onEnd: resolve }))
}

test('reports a failed text without quoting it and keeps the thread', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  expect(await speak(thread, { ...HELLO, text: { toString: 'my secret' } as never })).toBe('error')
  expect(failures).toMatchObject([{ name: 'TypeError', message: 'The built-in voices failed.', code: null }])
  expect(failures[0]?.stack).toMatch(/^TypeError: The built-in voices failed\.\n\s+at .*flite/)
  expect(await speak(thread, HELLO)).toBe('words')
  await thread.terminate()
  expect(failures).toHaveLength(1)
})

test('loses the text of a terminating thread even if its response has arrived', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  let termination: Promise<void> | undefined
  const result = await speak(thread, HELLO, ({ kind }) => {
    if (kind === 'words') termination = thread.terminate()
  })
  expect(result).toBe('lost')
  await termination
  expect(await speak(thread, HELLO)).toBe('lost')
  expect(failures).toEqual([])
})
