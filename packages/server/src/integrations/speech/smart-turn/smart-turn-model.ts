import { readFile } from 'node:fs/promises'
import { createResampler } from '@parley/engine/audio/resampler'
import { env, InferenceSession, Tensor } from 'onnxruntime-web'
import { computeLogMel, MEL_BANDS, MEL_FRAMES, MODEL_RATE_HZ } from './log-mel.ts'
import type { TurnAudio } from './smart-turn-protocol.ts'

const INPUT_NAME = 'input_features'

/** A Smart Turn v3 model, which estimates from a turn's audio whether the speaker has finished. */
export class SmartTurnModel {
  readonly #session: InferenceSession
  readonly #outputName: string

  private constructor(session: InferenceSession, outputName: string) {
    this.#session = session
    this.#outputName = outputName
  }

  /** Loads and tries a model file. Throws if it has other inputs or outputs than Smart Turn v3. */
  static async load(path: string): Promise<SmartTurnModel> {
    env.wasm.numThreads = 1
    const session = await InferenceSession.create(await readFile(path), { executionProviders: ['wasm'] })
    checkInput(session)
    const [outputName, ...otherNames] = session.outputNames
    if (outputName === undefined || otherNames.length > 0) throw new Error('The model has several outputs.')
    const model = new SmartTurnModel(session, outputName)
    // The first run compiles the code and checks the output.
    await model.estimate({ rateHz: MODEL_RATE_HZ, samples: new Int16Array(0) })
    return model
  }

  /** Returns the probability that the speaker has finished. One call at a time. */
  async estimate({ rateHz, samples }: TurnAudio): Promise<number> {
    const features = computeLogMel(resample(rateHz, samples))
    const input = new Tensor('float32', features, [1, MEL_BANDS, MEL_FRAMES])
    const outputs = await this.#session.run({ [INPUT_NAME]: input })
    const values = outputs[this.#outputName]?.data
    const probability = values?.length === 1 ? Number(values[0]) : Number.NaN
    // A model that is not finished with a sigmoid returns other values.
    if (!(probability >= 0 && probability <= 1)) throw new Error('The output of the model is not a probability.')
    return probability
  }
}

function checkInput({ inputMetadata }: InferenceSession): void {
  const [input, ...otherInputs] = inputMetadata
  const isExpected =
    input?.name === INPUT_NAME &&
    input.isTensor &&
    input.type === 'float32' &&
    input.shape.length === 3 &&
    input.shape[1] === MEL_BANDS &&
    input.shape[2] === MEL_FRAMES
  if (!isExpected || otherInputs.length > 0) {
    throw new Error(`The model does not have the one input "${INPUT_NAME}" of ${MEL_BANDS} x ${MEL_FRAMES} values.`)
  }
}

function resample(rateHz: number, samples: Int16Array): Int16Array {
  if (rateHz === MODEL_RATE_HZ) return samples
  const resampler = createResampler(rateHz, MODEL_RATE_HZ)
  const start = resampler.push(samples)
  const end = resampler.flush()
  const resampled = new Int16Array(start.length + end.length)
  resampled.set(start)
  resampled.set(end, start.length)
  return resampled
}
