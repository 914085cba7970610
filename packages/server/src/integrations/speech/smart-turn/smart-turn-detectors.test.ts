import { createBabble, createWhiteNoise } from '@parley/engine/audio/generated-audio-test-kit'
import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { TURN_MODEL, writeModelFile } from '../../../../../../testing/turn-model/turn-model.ts'
import { systemClock } from '../../../platform/system.ts'
import { failOnError } from '../speech-test-kit.ts'
import { checkModelFile, SmartTurnDetectors } from './smart-turn-detectors.ts'
import type { SmartTurnRequest, SmartTurnResponse } from './smart-turn-protocol.ts'
import type { ModelThread } from './smart-turn-thread.ts'

/** A thread whose responses the test sends. */
class ScriptedThread implements ModelThread {
  /** First sample of each request. */
  readonly requests: number[] = []
  isAlive = true
  readonly #exit = Promise.withResolvers<void>()
  readonly exited = this.#exit.promise
  #respond: (response: SmartTurnResponse | null) => void = () => {}

  send(request: SmartTurnRequest): Promise<SmartTurnResponse | null> {
    if (request !== 'load') this.requests.push(request.samples[0] ?? 0)
    const { promise, resolve } = Promise.withResolvers<SmartTurnResponse | null>()
    this.#respond = resolve
    return promise
  }

  async terminate(): Promise<void> {
    this.isAlive = false
    this.#respond(null)
    this.#exit.resolve()
  }

  async respond(response: SmartTurnResponse | null): Promise<void> {
    this.#respond(response)
    await flushPromises()
  }
}

async function setUp({ isLoaded = true } = {}) {
  const time = createManualClock()
  const threads: ScriptedThread[] = []
  const errors: string[] = []
  const detectors = new SmartTurnDetectors({
    path: 'model.onnx',
    clock: time.clock,
    logError: (error) => errors.push(String(error)),
    startThread() {
      const thread = new ScriptedThread()
      threads.push(thread)
      return thread
    },
  })
  detectors.warmUp()
  const getThread = (): ScriptedThread => threads.at(-1) as ScriptedThread
  if (isLoaded) await getThread().respond({ probability: 0 })
  const answers: [number, number | null][] = []
  /** Opens a caller. The numbers identify the requests. */
  const openCaller = () => {
    const detector = detectors.open(16_000)
    const ask = (number: number): void => {
      void detector.estimate(Int16Array.of(number)).then((answer) => answers.push([number, answer]))
    }
    return { ask, close: () => detector.close() }
  }
  return { time, detectors, threads, errors, getThread, answers, openCaller }
}

test('answers callers in turns, one at a time', async () => {
  const { openCaller, getThread, answers, time, detectors } = await setUp()
  const [first, second] = [openCaller(), openCaller()]
  first.ask(1)
  second.ask(2)
  await flushPromises()
  expect(getThread().requests).toEqual([1])
  await getThread().respond({ probability: 0.25 })
  await getThread().respond({ probability: 0.75 })
  expect(answers).toEqual([
    [1, 0.25],
    [2, 0.75],
  ])
  await detectors.close()
  expect(time.countPendingTimers()).toBe(0)
})

test('answers null after one second, and continues when the thread responds again', async () => {
  const { openCaller, getThread, answers, time, threads, errors } = await setUp()
  const callers = [openCaller(), openCaller()]
  for (const [index, { ask }] of callers.entries()) ask(index)
  await time.advance(999)
  expect(answers).toEqual([])
  await time.advance(1)
  expect(answers.map(([, answer]) => answer)).toEqual([null, null])
  await time.advance(2_000)
  await getThread().respond({ probability: 0.5 })
  callers[0]?.ask(7)
  await flushPromises()
  await getThread().respond({ probability: 0.9 })
  expect(answers.at(-1)).toEqual([7, 0.9])
  expect([getThread().requests, threads.length, errors]).toEqual([[0, 7], 1, []])
})

test('replaces the waiting request of a caller who asks again, and drops those of closed callers', async () => {
  const { openCaller, getThread, answers } = await setUp()
  const [busy, eager, leaving] = [openCaller(), openCaller(), openCaller()]
  busy.ask(1)
  eager.ask(2)
  leaving.ask(3)
  eager.ask(4)
  leaving.close()
  await flushPromises()
  await getThread().respond({ probability: 0.1 })
  await getThread().respond({ probability: 0.2 })
  expect(getThread().requests).toEqual([1, 4])
  expect([...answers].sort(([a], [b]) => a - b)).toEqual([
    [1, 0.1],
    [2, null],
    [3, null],
    [4, 0.2],
  ])
})

test('answers null while the model is loading, however long that takes', async () => {
  const { openCaller, getThread, answers, time, threads } = await setUp({ isLoaded: false })
  const { ask } = openCaller()
  ask(1)
  await time.advance(30_000)
  expect(answers).toEqual([[1, null]])
  await getThread().respond({ probability: 0 })
  ask(2)
  await flushPromises()
  await getThread().respond({ probability: 0.6 })
  expect(answers.at(-1)).toEqual([2, 0.6])
  expect(threads).toHaveLength(1)
})

test.each(['is no such model', 'never loads'])(
  'a file that %s disables turn detection with one error',
  async (fault) => {
    const { openCaller, getThread, answers, time, threads, errors, detectors } = await setUp({ isLoaded: false })
    const { ask } = openCaller()
    ask(1)
    if (fault === 'never loads') await time.advance(61_000)
    else await getThread().respond({ failure: 'The model has several outputs.' })
    ask(2)
    detectors.warmUp()
    openCaller().ask(3)
    await time.advance(1_000)
    expect(answers.map(([, answer]) => answer)).toEqual([null, null, null])
    expect([threads.length, errors.length, getThread().isAlive]).toEqual([1, 1, false])
    expect(errors[0]).toContain('SMART_TURN_MODEL')
    expect(time.countPendingTimers()).toBe(0)
  },
)

test.each(['crashes', 'stalls'])(
  'a thread that %s is replaced, until that happens three times in a row',
  async (fault) => {
    const { openCaller, getThread, answers, time, threads, errors } = await setUp()
    const { ask } = openCaller()
    for (const number of [1, 2, 3, 4]) {
      ask(number)
      await flushPromises()
      if (number > 1) await getThread().respond({ probability: 0 })
      if (fault === 'crashes') await getThread().terminate()
      await time.advance(6_000)
    }
    expect(answers.map(([, answer]) => answer)).toEqual([null, null, null, null])
    expect([threads.length, errors.length]).toEqual([3, 3])
  },
)

test('reports a machine that is too slow once', async () => {
  const { openCaller, getThread, answers, time, threads, errors } = await setUp()
  const { ask } = openCaller()
  for (let number = 1; number <= 30; number += 1) {
    ask(number)
    await time.advance(1_100)
    await getThread().respond({ probability: 0.5 })
  }
  expect(answers.filter(([, answer]) => answer !== null)).toEqual([])
  expect([threads.length, errors.length]).toEqual([1, 1])
  expect(errors[0]).toContain('too slow')
})

test('estimates the turns of several callers on the real thread', async () => {
  await using file = await writeModelFile(TURN_MODEL)
  checkModelFile(file.path)
  // The first request waits until the model is loaded.
  const options = { path: file.path, clock: systemClock, logError: failOnError, deadlineMs: 60_000 }
  const detectors = new SmartTurnDetectors(options)
  const signal = { durationMs: 8_000, amplitude: 8_000 }
  const [speech, noise] = await Promise.all([
    detectors.open(16_000).estimate(createBabble({ ...signal, rateHz: 16_000, durationMs: 2_000 })),
    detectors.open(8_000).estimate(createWhiteNoise({ ...signal, rateHz: 8_000 })),
  ])
  await detectors.close()
  expect(speech).toBeGreaterThan(0.3)
  expect(noise).toBeGreaterThan((speech ?? 1) + 0.05)
  expect(await detectors.open(8_000).estimate(new Int16Array(8_000))).toBeNull()
})

test('checks the file before the start', async () => {
  await using file = await writeModelFile(new Uint8Array(0))
  expect(() => checkModelFile(file.path)).toThrow('is not the file of a model')
  expect(() => checkModelFile(`${file.path}-missing`)).toThrow('cannot be read (ENOENT)')
  expect(() => checkModelFile(file.path.replace(/model\.onnx$/, ''))).toThrow('is not the file of a model')
})
