import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { CallerClassifier } from './caller-classifier.ts'
import type { FvadDetector, FvadMode } from './fvad.ts'
import { decodeWindows, type SileroBatch, type SileroResponse } from './silero-protocol.ts'
import { SileroQueue, type SileroThread } from './silero-queue.ts'

const RATE_HZ = 8_000
const FRAME_SAMPLES = 160
const VOICE = 1_000

/** A thread whose responses the test sends. */
class ScriptedThread implements SileroThread {
  readonly batches: SileroBatch[] = []
  isTerminated = false
  #respond: (response: SileroResponse | null) => void = () => {}

  send(batch: SileroBatch): Promise<SileroResponse | null> {
    this.batches.push(batch)
    const { promise, resolve } = Promise.withResolvers<SileroResponse | null>()
    this.#respond = resolve
    return promise
  }

  async terminate(): Promise<void> {
    this.isTerminated = true
    this.#respond(null)
  }

  crash(): void {
    this.#respond(null)
  }

  /** Answers the last batch with this probability. */
  answer(probability: number): void {
    const count = decodeWindows(this.batches.at(-1) as SileroBatch).length
    this.#respond({ probabilities: new Float32Array(count).fill(probability) })
  }

  listLastWindows() {
    return decodeWindows(this.batches.at(-1) as SileroBatch).map(({ callerId, isReset, samples }) => {
      return [callerId, isReset, samples[0]]
    })
  }
}

/** Accepts frames that are not silent. */
function createDetector(modes: FvadMode[]): FvadDetector {
  return { isVoice: (frame) => frame[0] !== 0, setMode: (mode) => modes.push(mode), close: () => {} }
}

async function setUp() {
  const time = createManualClock()
  const threads: ScriptedThread[] = []
  const errors: unknown[] = []
  const queue = new SileroQueue({
    clock: time.clock,
    logError: (error) => errors.push(error),
    startThread() {
      const thread = new ScriptedThread()
      threads.push(thread)
      return thread
    },
  })
  const loading = queue.start()
  threads[0]?.answer(0)
  await loading
  const getThread = (): ScriptedThread => threads.at(-1) as ScriptedThread
  return { time, queue, threads, errors, getThread }
}

/** Opens a classifier. `speak` and `pause` push audio and return nothing; results collect in `results`. */
function openCaller(queue: SileroQueue, callerId = 1) {
  const results: [endSample: number, probability: number][] = []
  const modes: FvadMode[] = []
  const classifier = new CallerClassifier({
    callerId,
    rateHz: RATE_HZ,
    detector: createDetector(modes),
    queue,
    onResult: ({ endSample, probability }) => results.push([endSample, Number(probability.toFixed(2))]),
    onClose: () => {},
  })
  let position = 0
  const push = (frames: number, value: number): void => {
    for (let frame = 0; frame < frames; frame += 1) {
      classifier.push(new Int16Array(FRAME_SAMPLES).fill(value), position)
      position += FRAME_SAMPLES
    }
  }
  return {
    classifier,
    results,
    modes,
    speak: (frames: number) => push(frames, VOICE),
    pause: (frames: number) => push(frames, 0),
  }
}

test('silence needs no model', async () => {
  const { queue, getThread } = await setUp()
  const { results, pause } = openCaller(queue)
  pause(8)
  expect(results.map(([endSample]) => endSample)).toEqual([256, 512, 768, 1_024, 1_280])
  expect(results.every(([, probability]) => probability === 0)).toBe(true)
  expect(getThread().batches).toHaveLength(1)
})

test('voice is classified after the audio before it, and results keep their order', async () => {
  const { time, queue, getThread } = await setUp()
  const { results, speak, pause } = openCaller(queue)
  pause(8)
  results.length = 0
  speak(4)
  await time.advance(10)
  expect(getThread().listLastWindows()).toEqual([
    [1, true, 0],
    [1, false, 0],
    [1, false, 0],
    [1, false, 0],
    [1, false, 0],
    [1, false, VOICE],
    [1, false, VOICE],
  ])
  expect(results).toEqual([])
  getThread().answer(0.9)
  await time.advance(0)
  expect(results).toEqual([
    [1_536, 0.9],
    [1_792, 0.9],
  ])
})

test('windows of several callers share a batch', async () => {
  const { time, queue, getThread } = await setUp()
  const callers = [1, 2, 3].map((callerId) => openCaller(queue, callerId))
  for (const { speak } of callers) speak(2)
  await time.advance(10)
  expect(
    getThread()
      .listLastWindows()
      .map(([callerId]) => callerId),
  ).toEqual([1, 2, 3])
  callers[1]?.classifier.close()
  getThread().answer(0.7)
  await time.advance(0)
  expect(callers.map(({ results }) => results.length)).toEqual([1, 0, 1])
})

test('a slow thread is replaced by the simpler detector after 200 ms until it responds', async () => {
  const { time, queue, threads, getThread } = await setUp()
  const { results, modes, speak, pause } = openCaller(queue)
  speak(2)
  await time.advance(190)
  expect(results).toEqual([])
  await time.advance(20)
  expect(results).toEqual([[256, 1]])
  // While the batch runs, the answer is immediate.
  pause(1)
  speak(3)
  expect(results.map(([, probability]) => probability)).toEqual([1, 1, 1])
  getThread().answer(0.2)
  await time.advance(0)
  expect(results).toHaveLength(3)
  speak(2)
  await time.advance(10)
  getThread().answer(0.3)
  await time.advance(0)
  expect(results.at(-1)?.[1]).toBe(0.3)
  expect(modes).toEqual([3, 1])
  expect(threads).toHaveLength(1)
})

test.each(['crashes', 'stalls'])('a thread that %s is replaced without a gap', async (fault) => {
  const { time, queue, threads, errors, getThread } = await setUp()
  const { results, speak } = openCaller(queue)
  speak(2)
  await time.advance(10)
  if (fault === 'crashes') getThread().crash()
  await time.advance(fault === 'crashes' ? 0 : 6_000)
  expect(results).toEqual([[256, 1]])
  expect(threads[0]?.isTerminated).toBe(true)
  expect(errors).toHaveLength(1)
  await time.advance(1_000)
  expect(threads).toHaveLength(2)
  speak(3)
  expect(results).toHaveLength(3)
  getThread().answer(0)
  await time.advance(0)
  speak(2)
  await time.advance(10)
  // The new thread hears the recent audio.
  expect(getThread().listLastWindows()).toHaveLength(4)
  expect(getThread().listLastWindows()[0]?.[1]).toBe(true)
  getThread().answer(0.6)
  await time.advance(0)
  expect(results.at(-1)?.[1]).toBe(0.6)
})

test('stopping answers pending windows and leaves no timers', async () => {
  const { time, queue } = await setUp()
  const { results, speak } = openCaller(queue)
  speak(2)
  await time.advance(10)
  await queue.stop()
  expect(results).toEqual([[256, 1]])
  expect(time.countPendingTimers()).toBe(0)
})
