import type { ModelEvent, ModelRequest } from '@parley/engine/ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { buildRequest, collect, createTestClock } from '../model-test-kit.ts'
import { createOfflineModels, type DecidingThread } from './offline-models.ts'
import type { OfflineMessage, OfflineRequest } from './offline-worker.ts'

const asking = (content: string, signal?: AbortSignal): ModelRequest =>
  buildRequest({ messages: [{ role: 'user', content }], ...(signal === undefined ? {} : { signal }) })

/** A thread that answers when the test says so. */
class ScriptedThread implements DecidingThread {
  readonly ready: Promise<void>
  readonly #exit = Promise.withResolvers<void>()
  readonly exited = this.#exit.promise
  #settle: (message: OfflineMessage | null) => void = () => {}
  said = ''
  isEnded = false

  get isAlive(): boolean {
    return !this.isEnded
  }

  constructor(ready: Promise<void>) {
    this.ready = Promise.race([ready, this.exited])
  }

  send({ messages }: OfflineRequest): Promise<OfflineMessage | null> {
    this.said = messages[0]?.content ?? ''
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  answer(): void {
    const text = this.said
    this.said = ''
    this.#settle({ kind: 'answer', events: [{ type: 'text-delta', text }] })
  }

  async end(): Promise<void> {
    this.isEnded = true
    this.#settle(null)
    this.#exit.resolve()
  }
}

function openScripted(ready = Promise.resolve()) {
  const clock = createTestClock()
  const threads: ScriptedThread[] = []
  const models = createOfflineModels({
    clock,
    startThread: () => {
      const thread = new ScriptedThread(ready)
      threads.push(thread)
      return thread
    },
  })
  const ask = (workspaceId: number, content: string, signal?: AbortSignal): Promise<ModelEvent[]> =>
    collect(models.forWorkspace(workspaceId).stream(asking(content, signal)))
  return { clock, threads, models, ask }
}

/** Lets everything run that waits for nothing outside. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a real thread answers what the model answers, and ends with the server', async () => {
  const models = createOfflineModels({ clock: systemClock })
  models.warm()
  const request = buildRequest({
    messages: [
      { role: 'system', content: 'You are Ada of a bakery. A croissant costs 3 €.' },
      { role: 'user', content: 'How much is a croissant?' },
    ],
  })
  const answered = await collect(models.forWorkspace(1).stream(request))
  expect(answered).toEqual(await collect(createOfflineModel().stream(request)))
  expect(await collect(models.forWorkspace(2).stream(request))).toEqual(answered)
  await models.close()
  expect(await collect(models.forWorkspace(1).stream(request))).toMatchObject([
    { type: 'error', failure: { message: 'The server is stopping.' } },
  ])
})

test('a request over its time fails, its thread ends and another one answers the next', async () => {
  const { clock, threads, models, ask } = openScripted()
  const slow = ask(1, 'slow')
  await clock.timerSet(2_000)
  clock.advance(2_000)
  expect(await slow).toEqual([
    {
      type: 'error',
      failure: { kind: 'timeout', message: 'The offline model did not answer within 2 seconds.', retryable: false },
    },
  ])
  expect(threads[0]?.isEnded).toBe(true)
  const next = ask(1, 'next')
  await settle()
  threads[1]?.answer()
  expect(await next).toEqual([{ type: 'text-delta', text: 'next' }])
  await models.close()
  expect(clock.pendingTimers).toBe(0)
})

test('workspaces take turns, and one of them holds one thread at most', async () => {
  const { threads, models, ask } = openScripted()
  const first = ask(1, 'first')
  const second = ask(1, 'second')
  await settle()
  expect(threads.map(({ said }) => said)).toEqual(['first'])
  const other = ask(2, 'other')
  await settle()
  expect(threads.map(({ said }) => said)).toEqual(['first', 'other'])
  threads[1]?.answer()
  await other
  await settle()
  expect(threads.map(({ said }) => said)).toEqual(['first', ''])
  threads[0]?.answer()
  await first
  await settle()
  const working = threads.find(({ said }) => said === 'second')
  working?.answer()
  expect(await second).toEqual([{ type: 'text-delta', text: 'second' }])
  await models.close()
})

test('an aborted turn ends without events, whether it waits or runs', async () => {
  const { clock, threads, models, ask } = openScripted()
  const [running, waiting] = [new AbortController(), new AbortController()]
  const turns = [ask(1, 'running', running.signal), ask(1, 'waiting', waiting.signal)]
  await settle()
  waiting.abort()
  running.abort()
  expect(await Promise.all(turns)).toEqual([[], []])
  threads[0]?.answer()
  await settle()
  const next = ask(1, 'next')
  await settle()
  expect(threads.map(({ said }) => said)).toEqual(['next'])
  threads[0]?.answer()
  await next
  await models.close()
  expect(clock.pendingTimers).toBe(0)
})

test('a request whose thread does not become ready in time fails, as does one that waits behind it', async () => {
  const { clock, threads, models, ask } = openScripted(Promise.withResolvers<void>().promise)
  const first = ask(1, 'first')
  const second = ask(1, 'second')
  await clock.timerSet(10_000)
  clock.advance(10_000)
  const waited = { kind: 'timeout', message: 'The offline model was not free within 10 seconds.' }
  expect(await first).toMatchObject([{ type: 'error', failure: waited }])
  expect(await second).toMatchObject([{ type: 'error', failure: waited }])
  expect(threads[0]?.isEnded).toBe(true)
  await models.close()
})
