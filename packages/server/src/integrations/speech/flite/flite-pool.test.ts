import type { SpeechFailure } from '@parley/engine/voice/ports'
import { expect, test } from 'vitest'
import { createTestClock } from '../../models/model-test-kit.ts'
import { type FliteListener, FlitePool, type FliteReply, FliteThread, type SpeakingThread } from './flite-pool.ts'
import type { FliteRequest, FliteResponse } from './flite-protocol.ts'

const DEADLINE_MS = 5_000

/** A thread that speaks when a test says so. */
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

  /** The text is spoken, or comes to another end. */
  finish(reply: 'words' | 'error' | 'lost' = 'words'): void {
    const listener = this.#listener
    this.#listener = null
    this.text = null
    listener?.ended(reply)
  }

  async end(): Promise<void> {
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
  const seen = { canStart: true }
  const pool = new FlitePool({
    clock: time,
    maxThreads: 1,
    maxQueued: 100,
    deadlineMs: DEADLINE_MS,
    idleMs: 60_000,
    logError: (error) => logged.push(error),
    startThread(onFailure) {
      if (!seen.canStart) throw new Error('The system gives none.')
      threads.push(new TestThread(onFailure))
      return threads.at(-1) as TestThread
    },
  })
  return {
    time,
    threads,
    logged,
    seen,
    pool,
    /** How the order ended, or that it has not. */
    enqueue(text: string) {
      const enqueue: { end: 'none' | 'spoken' | SpeechFailure; drop: () => void } = { end: 'none', drop: () => {} }
      enqueue.drop = pool.enqueue(
        { text, voice: 'slt', speed: 1, rateHz: 8_000 },
        {
          event: () => undefined,
          ended: (failure) => {
            enqueue.end = failure ?? 'spoken'
          },
        },
      )
      return enqueue
    },
    thread(): TestThread {
      const thread = threads.at(-1)
      if (thread === undefined) throw new Error('No thread was started.')
      return thread
    },
  }
}

test('a text that exceeds its deadline fails, and the healthy thread continues', async () => {
  const { enqueue, thread, threads, time, pool } = openPool()
  const first = enqueue('first')
  const second = enqueue('second')
  time.advance(2_000)
  thread().finish()
  // The thread has worked on the second text for 3 s when that is 5 s old.
  time.advance(3_000)
  expect([first.end, second.end]).toMatchObject(['spoken', { kind: 'timeout', retryable: true }])
  thread().finish()
  const third = enqueue('third')
  expect([threads.length, thread().isEnding, thread().text]).toEqual([1, false, 'third'])
  thread().finish()
  expect(third.end).toBe('spoken')
  const closed = pool.close()
  await thread().exit()
  await closed
  expect(time.pendingTimers).toBe(0)
})

test('of twice as many texts as can be spoken half are spoken: none is begun too late to be heard', () => {
  const { enqueue, thread, threads, time } = openPool()
  const orders = Array.from({ length: 60 }, (_, index) => {
    const ordered = enqueue(`text ${index}`)
    time.advance(500)
    if (index % 2 === 1) thread().finish()
    return ordered
  })
  expect(orders.filter(({ end }) => end === 'spoken')).toHaveLength(30)
  expect(threads).toHaveLength(1)
})

test('a hanging thread ends at its time limit, also after a cancellation', async () => {
  const { enqueue, thread, threads, time } = openPool()
  enqueue('heard').drop()
  const waiting = enqueue('next')
  time.advance(DEADLINE_MS)
  expect(thread().isEnding).toBe(true)
  expect(waiting.end).toMatchObject({ kind: 'timeout' })
  const later = enqueue('later')
  expect(threads).toHaveLength(1)
  await thread().exit()
  expect([threads.length, thread().text]).toEqual([2, 'later'])
  thread().finish()
  expect(later.end).toBe('spoken')
})

test('fails and logs the reason when no thread can start', async () => {
  const { enqueue, logged, seen } = openPool()
  seen.canStart = false
  const refused = enqueue('one')
  await Promise.resolve()
  expect(refused.end).toEqual({
    kind: 'unavailable',
    message: 'No thread could be started for the built-in voices.',
    retryable: true,
  })
  expect(logged).toEqual([new Error('The system gives none.')])
})

test('what breaks is logged once, until a text is spoken again', async () => {
  const { enqueue, thread, logged } = openPool()
  const fail = (reply: 'error' | 'lost'): void => {
    thread().onFailure(new Error(reply))
    thread().finish(reply)
  }
  const [broken, again, spoken, last] = ['one', 'two', 'three', 'four'].map(enqueue)
  fail('error')
  fail('error')
  thread().finish()
  thread().onFailure(new Error('lost'))
  await thread().exit()
  expect([broken?.end, again?.end, spoken?.end, last?.end]).toMatchObject([
    { kind: 'rejected' },
    { kind: 'rejected' },
    'spoken',
    { kind: 'unavailable', message: 'The thread of the built-in voices ended.' },
  ])
  expect(logged).toEqual([new Error('error'), new Error('lost')])
})

const HELLO: FliteRequest = { text: 'Hello', voice: 'slt', speed: 1, rateHz: 8_000 }

/** Speaks one text; `hear` receives each answer. */
function speak(
  thread: FliteThread,
  request: FliteRequest,
  hear: (onResponse: FliteResponse) => void = () => undefined,
) {
  return new Promise<FliteReply>((resolve) => thread.speak(request, { onResponse: hear, ended: resolve }))
}

test('reports a text that breaks the synthesizer without quoting it, and the thread continues', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  expect(await speak(thread, { ...HELLO, text: { toString: 'my secret' } as never })).toBe('error')
  expect(failures).toMatchObject([{ name: 'TypeError', message: 'The built-in voices failed.', code: null }])
  expect(failures[0]?.stack).toMatch(/^TypeError: The built-in voices failed\.\n\s+at .*flite/)
  expect(await speak(thread, HELLO)).toBe('words')
  await thread.end()
  expect(failures).toHaveLength(1)
})

test('a terminating thread loses its text even when the answer has arrived', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  let ended: Promise<void> | undefined
  const reply = await speak(thread, HELLO, ({ kind }) => {
    if (kind === 'words') ended = thread.end()
  })
  expect(reply).toBe('lost')
  await ended
  expect(await speak(thread, HELLO)).toBe('lost')
  expect(failures).toEqual([])
})
