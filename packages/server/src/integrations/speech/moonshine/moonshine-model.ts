import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import llamaTokenizer from 'llama-tokenizer-js'
import { env, InferenceSession, Tensor } from 'onnxruntime-web'
import type { Recognition } from './moonshine-protocol.ts'
import { proposeTokens } from './token-draft.ts'

/** Sample rate of the model. */
export const MODEL_RATE_HZ = 16_000

const LAYERS = 6
const HEADS = 8
const HEAD_SIZE = 36
const VOCABULARY_SIZE = 32_768
const START_TOKEN = 1
const END_TOKEN = 2
/** Speech has fewer tokens. More tokens would be a repetition that the model cannot end. */
const MAX_TOKENS_PER_SECOND = 6.5
/** Allows the last word of a short audio and its punctuation. */
const EXTRA_TOKENS = 2
/** The encoder needs at least a few frames. */
const MIN_SAMPLES = MODEL_RATE_HZ / 2

const CACHE_NAMES = Array.from({ length: LAYERS }, (_, layer) =>
  ['decoder', 'encoder'].flatMap((part) => ['key', 'value'].map((kind) => `${layer}.${part}.${kind}`)),
).flat()
const isDecoderCache = (name: string): boolean => name.includes('.decoder.')

type Tensors = Record<string, Tensor>

/** Recognizes English speech with Moonshine tiny. */
export interface MoonshineModel {
  /** Recognizes samples in [-1, 1) at the model's rate. One call at a time. */
  recognize(samples: Float32Array, draft: readonly number[]): Promise<Recognition>
}

/** Loads the model from its package without network access. Takes seconds. */
export async function loadMoonshineModel(): Promise<MoonshineModel> {
  env.wasm.numThreads = 1
  env.wasm.wasmBinary = readPackageFile(import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'))
  const packageUrl = import.meta.resolve('@moonshine-ai/moonshine-js')
  const [encoder, decoder] = [
    await loadSession(new URL('model/tiny/quantized/encoder_model.onnx', packageUrl)),
    await loadSession(new URL('model/tiny/quantized/decoder_model_merged.onnx', packageUrl)),
  ]
  return {
    async recognize(samples, draft) {
      const maxTokens = Math.ceil((samples.length / MODEL_RATE_HZ) * MAX_TOKENS_PER_SECOND) + EXTRA_TOKENS
      const audio = padAudio(samples)
      const encoded = await encoder.run({ input_values: new Tensor('float32', audio, [1, audio.length]) })
      const tokens = await new Decoding(decoder, getTensor(encoded, 'last_hidden_state')).run(draft, maxTokens)
      return { text: llamaTokenizer.decode([...tokens], false, false).trim(), tokens }
    },
  }
}

function readPackageFile(url: string | URL): Uint8Array<ArrayBuffer> {
  return readFileSync(fileURLToPath(url))
}

function loadSession(url: URL): Promise<InferenceSession> {
  return InferenceSession.create(readPackageFile(url), { executionProviders: ['wasm'] })
}

function padAudio(samples: Float32Array): Float32Array {
  if (samples.length >= MIN_SAMPLES) return samples
  const padded = new Float32Array(MIN_SAMPLES)
  padded.set(samples)
  return padded
}

/** One greedy decoding. Checks several proposed tokens per run of the decoder, because most of its cost is per run. */
class Decoding {
  readonly #decoder: InferenceSession
  readonly #inputs: Tensors
  /** Tokens whose keys and values are in the cache. */
  #cachedCount = 0

  constructor(decoder: InferenceSession, encoderStates: Tensor) {
    this.#decoder = decoder
    this.#inputs = { encoder_hidden_states: encoderStates }
    for (const name of CACHE_NAMES) {
      this.#inputs[`past_key_values.${name}`] = new Tensor('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE])
    }
  }

  /** Returns the tokens without start and end. */
  async run(draft: readonly number[], maxTokens: number): Promise<readonly number[]> {
    const tokens: number[] = []
    while (tokens.length < maxTokens) {
      const proposal = proposeTokens(draft, tokens).slice(0, maxTokens - tokens.length - 1)
      const nextTokens = await this.#predict(tokens.at(-1) ?? START_TOKEN, proposal)
      const end = nextTokens.indexOf(END_TOKEN)
      if (end !== -1) return [...tokens, ...nextTokens.slice(0, end)]
      tokens.push(...nextTokens)
    }
    return tokens
  }

  /** Returns the tokens after `token`: the right part of the proposal and one more token. */
  async #predict(token: number, proposal: readonly number[]): Promise<readonly number[]> {
    const input = [token, ...proposal]
    const outputs = await this.#decoder.run({
      ...this.#inputs,
      input_ids: new Tensor('int64', BigInt64Array.from(input, BigInt), [1, input.length]),
      use_cache_branch: new Tensor('bool', [this.#cachedCount > 0], [1]),
    })
    const logits = getTensor(outputs, 'logits').data as Float32Array
    const nextTokens: number[] = []
    for (let index = 0; index < input.length; index += 1) {
      const nextToken = findLargest(logits, index * VOCABULARY_SIZE)
      nextTokens.push(nextToken)
      if (nextToken !== proposal[index]) break
    }
    this.#updateCache(outputs, nextTokens.length)
    return nextTokens
  }

  /** Keeps the keys and values of the right tokens. Those of the audio change only in the first run. */
  #updateCache(outputs: InferenceSession.OnnxValueMapType, addedCount: number): void {
    const isFirst = this.#cachedCount === 0
    this.#cachedCount += addedCount
    for (const name of CACHE_NAMES) {
      if (!isFirst && !isDecoderCache(name)) continue
      const present = getTensor(outputs, `present.${name}`)
      this.#inputs[`past_key_values.${name}`] = isDecoderCache(name) ? keepFirst(present, this.#cachedCount) : present
    }
  }
}

function getTensor(outputs: InferenceSession.OnnxValueMapType, name: string): Tensor {
  const tensor = outputs[name]
  if (tensor === undefined) throw new Error(`The model has no output "${name}".`)
  return tensor as Tensor
}

/** Keeps the first positions of a tensor with the dimensions 1, heads, positions, head size. */
function keepFirst(tensor: Tensor, count: number): Tensor {
  const length = tensor.dims[2] ?? 0
  if (length === count) return tensor
  const values = tensor.data as Float32Array
  const kept = new Float32Array(HEADS * count * HEAD_SIZE)
  for (let head = 0; head < HEADS; head += 1) {
    const start = head * length * HEAD_SIZE
    kept.set(values.subarray(start, start + count * HEAD_SIZE), head * count * HEAD_SIZE)
  }
  return new Tensor('float32', kept, [1, HEADS, count, HEAD_SIZE])
}

function findLargest(logits: Float32Array, offset: number): number {
  let largest = 0
  for (let token = 1; token < VOCABULARY_SIZE; token += 1) {
    if ((logits[offset + token] as number) > (logits[offset + largest] as number)) largest = token
  }
  return largest
}
