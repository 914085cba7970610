import type { ModelEvent, ModelRequest } from '@parley/engine/ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { expect, test } from 'vitest'
import { systemClock } from '../../../platform/system.ts'
import { buildRequest, collect, createTestClock } from '../model-test-kit.ts'
import { createOfflineModels, type DecidingThread } from './offline-models.ts'
import type { OfflineMessage, OfflineRequest } from './offline-worker.ts'

const createRequest = (content: string, signal?: AbortSignal): ModelRequest =>
  buildRequest({ messages: [{ role: 'user', content }], ...(signal === undefined ? {} : { signal }) })

/** A thread whose responses the test controls. */
class ScriptedThread implements DecidingThread {
  readonly ready: Promise<void>
  readonly #exit = Promise.withResolvers<void>()
  readonly exited = this.#exit.promise
  #settle: (message: OfflineMessage | null) => void = () => {}
  question = ''
  isEnded = false

  get isAlive(): boolean {
    return !this.isEnded
  }

  constructor(ready: Promise<void>) {
    this.ready = Promise.race([ready, this.exited])
  }

  send({ messages }: OfflineRequest): Promise<OfflineMessage | null> {
    this.question = messages[0]?.content ?? ''
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  respond(): void {
    const text = this.question
    this.question = ''
    this.#settle({ kind: 'answer', events: [{ type: 'text-delta', text }] })
  }

  async terminate(): Promise<void> {
    this.isEnded = true
    this.#settle(null)
    this.#exit.resolve()
  }
}

function createScriptedModels(ready = Promise.resolve()) {
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
  const askModel = (workspaceId: number, content: string, signal?: AbortSignal): Promise<ModelEvent[]> =>
    collect(models.forWorkspace(workspaceId).stream(createRequest(content, signal)))
  return { clock, threads, models, ask: askModel }
}

/** Waits until all pending promises have run. */
const flushPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("returns the model's events from a thread and fails after closing", async () => {
  const models = createOfflineModels({ clock: systemClock })
  models.warmUp()
  const request = buildRequest({
    messages: [
      { role: 'system', content: 'You are Ada of a bakery. A croissant costs 3 €.' },
      { role: 'user', content: 'How much is a croissant?' },
    ],
  })
  const events = await collect(models.forWorkspace(1).stream(request))
  expect(events).toEqual(await collect(createOfflineModel().stream(request)))
  expect(await collect(models.forWorkspace(2).stream(request))).toEqual(events)
  await models.close()
  expect(await collect(models.forWorkspace(1).stream(request))).toMatchObject([
    { type: 'error', failure: { message: 'The server is stopping.' } },
  ])
})

test('fails a request at its time limit and replaces the thread', async () => {
  const { clock, threads, models, ask } = createScriptedModels()
  const slowRequest = ask(1, 'slow')
  await clock.timerSet(2_000)
  clock.advance(2_000)
  expect(await slowRequest).toEqual([
    {
      type: 'error',
      failure: { kind: 'timeout', message: 'The offline model did not respond within 2 seconds.', retryable: false },
    },
  ])
  expect(threads[0]?.isEnded).toBe(true)
  const nextRequest = ask(1, 'next')
  await flushPromises()
  threads[1]?.respond()
  expect(await nextRequest).toEqual([{ type: 'text-delta', text: 'next' }])
  await models.close()
  expect(clock.pendingTimers).toBe(0)
})

test('lets workspaces take turns and gives a workspace at most one thread', async () => {
  const { threads, models, ask } = createScriptedModels()
  const firstRequest = ask(1, 'first')
  const secondRequest = ask(1, 'second')
  await flushPromises()
  expect(threads.map(({ question: said }) => said)).toEqual(['first'])
  const otherRequest = ask(2, 'other')
  await flushPromises()
  expect(threads.map(({ question: said }) => said)).toEqual(['first', 'other'])
  threads[1]?.respond()
  await otherRequest
  await flushPromises()
  expect(threads.map(({ question: said }) => said)).toEqual(['first', ''])
  threads[0]?.respond()
  await firstRequest
  await flushPromises()
  const working = threads.find(({ question: said }) => said === 'second')
  working?.respond()
  expect(await secondRequest).toEqual([{ type: 'text-delta', text: 'second' }])
  await models.close()
})

test('ends an aborted turn without events, whether it waits or runs', async () => {
  const { clock, threads, models, ask } = createScriptedModels()
  const [running, waiting] = [new AbortController(), new AbortController()]
  const turns = [ask(1, 'running', running.signal), ask(1, 'waiting', waiting.signal)]
  await flushPromises()
  waiting.abort()
  running.abort()
  expect(await Promise.all(turns)).toEqual([[], []])
  threads[0]?.respond()
  await flushPromises()
  const nextRequest = ask(1, 'next')
  await flushPromises()
  expect(threads.map(({ question: said }) => said)).toEqual(['next'])
  threads[0]?.respond()
  await nextRequest
  await models.close()
  expect(clock.pendingTimers).toBe(0)
})

test('fails requests whose thread does not become ready in time', async () => {
  const { clock, threads, models, ask } = createScriptedModels(Promise.withResolvers<void>().promise)
  const firstRequest = ask(1, 'first')
  const secondRequest = ask(1, 'second')
  await clock.timerSet(10_000)
  clock.advance(10_000)
  const waitFailure = { kind: 'timeout', message: 'The offline model was not free within 10 seconds.' }
  expect(await firstRequest).toMatchObject([{ type: 'error', failure: waitFailure }])
  expect(await secondRequest).toMatchObject([{ type: 'error', failure: waitFailure }])
  expect(threads[0]?.isEnded).toBe(true)
  await models.close()
})
