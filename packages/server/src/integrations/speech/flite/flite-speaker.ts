import { createResampler } from '@parley/engine/audio/resampler'
import type { TimedWord } from '@parley/engine/voice/ports'
import type { WasmModule } from '../../../kernel/work/threads.ts'
import { adjustLoudness } from './flite-loudness.ts'
import type { FliteRequest } from './flite-protocol.ts'
import { type SpokenToken, splitTokens } from './flite-text.ts'
import { WasiProgram } from './wasi-program.ts'

const PAUSE = 'pau'
const WAV_HEADER_BYTES = 44
/** Silence kept before and after the speech. The voices add 150 to 250 ms, which would delay playback. */
const LEAD_SECONDS = 0.02
const TAIL_SECONDS = 0.14
/** Selects the smallest voice at high speed, because only the pronunciation matters. */
const PRONUNCIATION_OPTIONS = ['-voice', 'kal', '--setf', 'duration_stretch=0.05', '-ps']
const MIN_SPEED = 0.5
const MAX_SPEED = 2
const MAX_CACHED_TOKENS = 5_000

/** Synthesized speech. `getWords` runs the program again for unknown words. */
export interface FliteSpeech {
  readonly samples: Int16Array<ArrayBuffer>
  getWords(): TimedWord[]
}

/** Speaks one text at a time with one compiled module. */
export class FliteSpeaker {
  readonly #module: WasmModule
  /** Created in advance, because creating a program takes longer than speaking a short text. */
  #nextProgram: WasiProgram | null = null
  /** Phones of known tokens. */
  readonly #pronunciations = new Map<string, readonly string[]>()

  constructor(module: WasmModule) {
    this.#module = module
  }

  /** Prepares the next run. Called while idle. */
  prepare(): void {
    this.#nextProgram ??= new WasiProgram(this.#module)
  }

  speak({ text, voice, speed, rateHz }: FliteRequest): FliteSpeech {
    const tokens = splitTokens(text)
    const spelling = filterSpokenTokens(tokens)
      .map((token) => token.spelling)
      .join(' ')
    if (spelling === '') return { samples: new Int16Array(0), getWords: () => timeWords(addPhones(tokens, []), []) }
    // This voice has a 16 kHz variant, which needs no resampling.
    const name = voice === 'kal' && rateHz === 16_000 ? 'kal16' : voice
    const stretch = 1 / Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed))
    const { stdout, file } = this.#run([
      ...['-voice', name, '--setf', `duration_stretch=${stretch.toFixed(3)}`, '-psdur'],
      ...['-o', '/speech.wav', '-t', spelling],
    ])
    const audio = parseWav(file)
    const spokenPhones = parsePhones(stdout).filter(({ name: phone }) => phone !== PAUSE)
    const trimmedAudio = trimSilence(audio, spokenPhones)
    adjustLoudness(trimmedAudio.samples, name)
    // Computed now, because the samples may be transferred before the words are read.
    const lengthMs = (trimmedAudio.samples.length / audio.rateHz) * 1000
    return {
      samples: resample(trimmedAudio.samples, audio.rateHz, rateHz),
      getWords: () => {
        const shiftedPhones = spokenPhones.map((phone) => shiftPhone(phone, trimmedAudio.startMs, lengthMs))
        return timeWords(addPhones(tokens, this.#getPronunciations(filterSpokenTokens(tokens))), shiftedPhones)
      },
    }
  }

  #run(options: readonly string[]): { readonly stdout: string; readonly file: Uint8Array } {
    const program = this.#nextProgram ?? new WasiProgram(this.#module)
    this.#nextProgram = null
    return program.run(['flite', ...options])
  }

  /** Returns the phones of each token. New tokens are spoken in one run, with pauses between them. */
  #getPronunciations(tokens: readonly SpokenToken[]): (readonly string[])[] {
    const unknownTokens = [...new Set(tokens.map(stripPunctuation).filter((token) => !this.#pronunciations.has(token)))]
    if (unknownTokens.length > 0) {
      const { stdout } = this.#run([...PRONUNCIATION_OPTIONS, '-t', `${unknownTokens.join(', ')},`, 'none'])
      const phoneGroups = parsePhoneGroups(stdout)
      if (phoneGroups.length === unknownTokens.length) {
        if (this.#pronunciations.size > MAX_CACHED_TOKENS) this.#pronunciations.clear()
        for (const [index, token] of unknownTokens.entries()) this.#pronunciations.set(token, phoneGroups[index] ?? [])
      }
    }
    // If a token contains a pause, the phone groups do not match the tokens. Letters then replace the phones.
    return tokens.map((token) => this.#pronunciations.get(stripPunctuation(token)) ?? [...stripPunctuation(token)])
  }
}

function filterSpokenTokens(tokens: readonly SpokenToken[]): SpokenToken[] {
  return tokens.filter((token) => token.spelling !== '')
}

/** Removes punctuation, which would cause pauses. */
function stripPunctuation({ spelling }: SpokenToken): string {
  const strippedSpelling = spelling.replace(/^["'([{<]+/, '').replace(/(?<!["')\]}>.,;:!?-])["')\]}>.,;:!?-]+$/, '')
  return strippedSpelling || spelling
}

function addPhones(tokens: readonly SpokenToken[], phones: readonly (readonly string[])[]) {
  let index = 0
  return tokens.map(({ text, spelling }) => {
    if (spelling === '') return { text, phones: [] }
    index += 1
    return { text, phones: phones[index - 1] ?? [] }
  })
}

/** Parses the output of `-psdur`: `name:end`, in seconds from the first sample. */
function parsePhones(stdout: string): SpokenPhone[] {
  const phoneEnds = [...stdout.matchAll(/(?<!\S)(\S+?):(\d+(?:\.\d+)?)(?=\s|$)/g)].map(([, name, end]) => ({
    name: name ?? '',
    endMs: Number(end) * 1000,
  }))
  return phoneEnds.map(({ name, endMs }, index) => ({ name, startMs: phoneEnds[index - 1]?.endMs ?? 0, endMs }))
}

function parsePhoneGroups(stdout: string): string[][] {
  return stdout
    .split(/\bpau\b/)
    .map((group) => group.split(/\s+/).filter((phone) => phone !== ''))
    .filter((group) => group.length > 0)
}

interface WavAudio {
  readonly samples: Int16Array<ArrayBuffer>
  readonly rateHz: number
}

function parseWav(file: Uint8Array): WavAudio {
  if (file.length < WAV_HEADER_BYTES) throw new Error('The synthesizer wrote no audio.')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const samples = new Int16Array((file.length - WAV_HEADER_BYTES) >> 1)
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(WAV_HEADER_BYTES + index * 2, true)
  }
  return { samples, rateHz: view.getUint32(24, true) }
}

function trimSilence({ samples, rateHz }: WavAudio, phones: readonly SpokenPhone[]) {
  const startMs = Math.max(0, (phones[0]?.startMs ?? 0) - LEAD_SECONDS * 1000)
  const endMs = (phones.at(-1)?.endMs ?? Number.POSITIVE_INFINITY) + TAIL_SECONDS * 1000
  const start = Math.min(samples.length, Math.round((startMs / 1000) * rateHz))
  const end = Math.min(samples.length, Math.round((endMs / 1000) * rateHz))
  return { samples: samples.slice(start, end), startMs }
}

function shiftPhone({ name, startMs, endMs }: SpokenPhone, offsetMs: number, lengthMs: number): SpokenPhone {
  const toPosition = (timeMs: number): number => Math.round(Math.min(lengthMs, Math.max(0, timeMs - offsetMs)))
  return { name, startMs: toPosition(startMs), endMs: toPosition(endMs) }
}

function resample(samples: Int16Array<ArrayBuffer>, fromHz: number, toHz: number): Int16Array<ArrayBuffer> {
  if (fromHz === toHz) return samples
  const resampler = createResampler(fromHz, toHz)
  const mainSamples = resampler.push(samples)
  const finalSamples = resampler.flush()
  const output = new Int16Array(mainSamples.length + finalSamples.length)
  output.set(mainSamples)
  output.set(finalSamples, mainSamples.length)
  return output
}

/** A phone with its times in the audio. */
export interface SpokenPhone {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** Times words by aligning the utterance's phones, without pauses, with the phones of each word. */
export function timeWords(
  words: readonly { readonly text: string; readonly phones: readonly string[] }[],
  spokenPhones: readonly SpokenPhone[],
): TimedWord[] {
  const expectedPhones = words.flatMap(({ phones }) => phones)
  const prefixEnds = alignPrefixes(
    expectedPhones,
    spokenPhones.map(({ name }) => name),
  )
  let phoneCount = 0
  let startIndex = 0
  return words.map(({ text, phones }) => {
    phoneCount += phones.length
    const endIndex = Math.max(startIndex, prefixEnds[phoneCount] ?? spokenPhones.length)
    const firstPhone = spokenPhones[startIndex]
    const lastPhone = spokenPhones[endIndex - 1]
    const isSilent = endIndex === startIndex || firstPhone === undefined || lastPhone === undefined
    // A word without phones is placed at the end of the previous word.
    const fallbackMs = spokenPhones[startIndex - 1]?.endMs ?? spokenPhones[0]?.startMs ?? 0
    startIndex = endIndex
    return isSilent
      ? { text, startMs: fallbackMs, endMs: fallbackMs }
      : { text, startMs: firstPhone.startMs, endMs: lastPhone.endMs }
  })
}

/**
 * Returns the number of `spoken` phones that each prefix of `expected` covers in an alignment with minimal edit
 * distance. The numbers never decrease, and the last number covers all phones.
 */
export function alignPrefixes(expected: readonly string[], spoken: readonly string[]): number[] {
  const width = spoken.length + 1
  const costs = new Uint16Array((expected.length + 1) * width)
  for (let column = 0; column < width; column += 1) costs[column] = column
  for (let row = 1; row <= expected.length; row += 1) {
    costs[row * width] = row
    for (let column = 1; column < width; column += 1) {
      const aboveIndex = (row - 1) * width + column
      const substitutionCost = expected[row - 1] === spoken[column - 1] ? 0 : 1
      costs[row * width + column] = Math.min(
        getCost(costs, aboveIndex - 1) + substitutionCost,
        getCost(costs, aboveIndex) + 1,
        getCost(costs, row * width + column - 1) + 1,
      )
    }
  }
  const prefixEnds = new Array<number>(expected.length + 1).fill(0)
  let row = expected.length
  let column = spoken.length
  prefixEnds[row] = column
  while (row > 0) {
    const currentCost = getCost(costs, row * width + column)
    const aboveIndex = (row - 1) * width + column
    const substitutionCost = expected[row - 1] === spoken[column - 1] ? 0 : 1
    if (column > 0 && currentCost === getCost(costs, aboveIndex - 1) + substitutionCost) {
      row -= 1
      column -= 1
      prefixEnds[row] = column
    } else if (currentCost === getCost(costs, aboveIndex) + 1) {
      row -= 1
      prefixEnds[row] = column
    } else column -= 1
  }
  return prefixEnds
}

function getCost(costs: Uint16Array, index: number): number {
  return costs[index] ?? Number.MAX_SAFE_INTEGER
}
