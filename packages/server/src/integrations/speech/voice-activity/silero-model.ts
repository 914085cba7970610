import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { LegRateHz } from '@parley/engine/audio/frame'
import { env, InferenceSession, Tensor } from 'onnxruntime-web'
import { countWindowSamples, type SileroWindow } from './silero-protocol.ts'

/** Size of the recurrent state: two layers for each caller. */
const STATE_LAYERS = 2
const LAYER_SIZE = 128

const FULL_SCALE = 32_768

/** What the model remembers of one caller. */
interface CallerState {
  readonly layers: Float32Array
  /** The last samples of the previous window. */
  readonly context: Float32Array
}

/** Number of samples of the previous window that the model needs. */
function countContextSamples(rateHz: LegRateHz): number {
  return countWindowSamples(rateHz) / 8
}

/** The Silero speech detection model, version 6, with the states of all callers. */
export class SileroModel {
  readonly #session: InferenceSession
  readonly #callers = new Map<number, CallerState>()

  private constructor(session: InferenceSession) {
    this.#session = session
  }

  /** Loads the model from the installed packages. This takes seconds. */
  static async load(): Promise<SileroModel> {
    env.wasm.numThreads = 1
    const file = fileURLToPath(import.meta.resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx'))
    // Batches differ in size, so plans of memory would not be used again.
    const options = { executionProviders: ['wasm'], enableMemPattern: false }
    return new SileroModel(await InferenceSession.create(await readFile(file), options))
  }

  /** Returns the speech probability of each window. The windows of one caller must be in order. */
  async classify(windows: readonly SileroWindow[]): Promise<Float32Array<ArrayBuffer>> {
    const probabilities = new Float32Array(windows.length)
    for (const indexes of splitIntoRounds(windows)) {
      const round = indexes.map((index) => windows[index] as SileroWindow)
      const results = await this.#runRound(round)
      for (const [position, index] of indexes.entries()) probabilities[index] = results[position] ?? 0
    }
    return probabilities
  }

  forget(callerId: number): void {
    this.#callers.delete(callerId)
  }

  /** Runs one window of each caller. All windows have the same rate. */
  async #runRound(windows: readonly SileroWindow[]): Promise<Float32Array> {
    const count = windows.length
    const rateHz = windows[0]?.rateHz ?? 8_000
    const contextSamples = countContextSamples(rateHz)
    const inputSamples = contextSamples + countWindowSamples(rateHz)
    const input = new Float32Array(count * inputSamples)
    const layers = new Float32Array(STATE_LAYERS * count * LAYER_SIZE)
    const states = windows.map((window) => this.#getState(window))
    for (const [row, { samples }] of windows.entries()) {
      const state = states[row] as CallerState
      const start = row * inputSamples
      input.set(state.context, start)
      for (let index = 0; index < samples.length; index += 1)
        input[start + contextSamples + index] = (samples[index] as number) / FULL_SCALE
      state.context.set(input.subarray(start + inputSamples - contextSamples, start + inputSamples))
      copyLayers(state.layers, { row: 0, count: 1 }, layers, { row, count })
    }
    const { output, stateN } = await this.#session.run({
      input: new Tensor('float32', input, [count, inputSamples]),
      state: new Tensor('float32', layers, [STATE_LAYERS, count, LAYER_SIZE]),
      sr: new Tensor('int64', BigInt64Array.of(BigInt(rateHz)), [1]),
    })
    if (output === undefined || stateN === undefined) throw new Error('The speech detection model has other outputs.')
    for (const [row, state] of states.entries())
      copyLayers(stateN.data as Float32Array, { row, count }, state.layers, { row: 0, count: 1 })
    return output.data as Float32Array
  }

  #getState({ callerId, rateHz, isReset }: SileroWindow): CallerState {
    const knownState = this.#callers.get(callerId)
    if (knownState !== undefined && !isReset) return knownState
    const state = {
      layers: new Float32Array(STATE_LAYERS * LAYER_SIZE),
      context: new Float32Array(countContextSamples(rateHz)),
    }
    this.#callers.set(callerId, state)
    return state
  }
}

/** The position of a caller in a state tensor of several callers. */
interface StateRow {
  readonly row: number
  readonly count: number
}

/** Copies the state of one caller from one tensor to another. */
function copyLayers(source: Float32Array, from: StateRow, target: Float32Array, to: StateRow): void {
  for (let layer = 0; layer < STATE_LAYERS; layer += 1) {
    const start = (layer * from.count + from.row) * LAYER_SIZE
    target.set(source.subarray(start, start + LAYER_SIZE), (layer * to.count + to.row) * LAYER_SIZE)
  }
}

/** Splits windows into rounds with the same rate and at most one window of each caller. */
function splitIntoRounds(windows: readonly SileroWindow[]): number[][] {
  const rounds = new Map<string, number[]>()
  const windowCounts = new Map<number, number>()
  for (const [index, { callerId, rateHz }] of windows.entries()) {
    const earlierWindows = windowCounts.get(callerId) ?? 0
    windowCounts.set(callerId, earlierWindows + 1)
    const key = `${earlierWindows}:${rateHz}`
    const round = rounds.get(key)
    if (round === undefined) rounds.set(key, [index])
    else round.push(index)
  }
  return [...rounds.values()]
}
