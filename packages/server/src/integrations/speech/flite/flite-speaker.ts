import { createResampler } from '@parley/engine/audio/resampler'
import type { TimedWord } from '@parley/engine/voice/ports'
import type { WasmModule } from '../../../kernel/work/threads.ts'
import type { FliteRequest } from './flite-protocol.ts'
import { type SpokenToken, splitTokens } from './flite-text.ts'
import { WasiProgram } from './wasi-program.ts'

const PAUSE = 'pau'
const WAV_HEADER_BYTES = 44
/** Silence kept around a text. The voices add 150 to 250 ms, which would only delay the speech. */
const LEAD_SECONDS = 0.02
const TAIL_SECONDS = 0.14
/** The smallest voice at high speed, because only its pronunciation is used. */
const PRONUNCIATION_OPTIONS = ['-voice', 'kal', '--setf', 'duration_stretch=0.05', '-ps']
const MIN_SPEED = 0.5
const MAX_SPEED = 2
const MAX_CACHED_TOKENS = 5_000

/** A spoken text. `words` needs a second, shorter run for new words. */
export interface FliteSpeech {
  readonly samples: Int16Array<ArrayBuffer>
  words(): TimedWord[]
}

/** Speaks with one compiled module, one text at a time. */
export class FliteSpeaker {
  readonly #module: WasmModule
  /** Created in advance, because this takes longer than a short text. */
  #next: WasiProgram | null = null
  /** Phones of single tokens. */
  readonly #pronunciations = new Map<string, readonly string[]>()

  constructor(module: WasmModule) {
    this.#module = module
  }

  /** Prepares the next run. Called while idle. */
  prepare(): void {
    this.#next ??= new WasiProgram(this.#module)
  }

  speak({ text, voice, speed, rateHz }: FliteRequest): FliteSpeech {
    const tokens = splitTokens(text)
    const spelling = spoken(tokens)
      .map((token) => token.spoken)
      .join(' ')
    if (spelling === '') return { samples: new Int16Array(0), words: () => timeWords(filterWithPhones(tokens, []), []) }
    // This voice has a 16 kHz variant, which needs no resampling.
    const name = voice === 'kal' && rateHz === 16_000 ? 'kal16' : voice
    const stretch = 1 / Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed))
    const { stdout, file } = this.#run([
      ...['-voice', name, '--setf', `duration_stretch=${stretch.toFixed(3)}`, '-psdur'],
      ...['-o', '/speech.wav', '-t', spelling],
    ])
    const rendered = readWav(file)
    const sounds = readPhones(stdout).filter(({ name: phone }) => phone !== PAUSE)
    const cut = trimSilence(rendered, sounds)
    // Computed now, because the samples may be transferred before the words are read.
    const lengthMs = (cut.samples.length / rendered.rateHz) * 1000
    return {
      samples: resample(cut.samples, rendered.rateHz, rateHz),
      words: () => {
        const shifted = sounds.map((phone) => shiftPhone(phone, cut.startMs, lengthMs))
        return timeWords(filterWithPhones(tokens, this.#pronounce(spoken(tokens))), shifted)
      },
    }
  }

  #run(options: readonly string[]): { readonly stdout: string; readonly file: Uint8Array } {
    const program = this.#next ?? new WasiProgram(this.#module)
    this.#next = null
    return program.run(['flite', ...options])
  }

  /** Returns the phones of each single token. New tokens are spoken in one run, with pauses between them. */
  #pronounce(tokens: readonly SpokenToken[]): (readonly string[])[] {
    const unknown = [...new Set(tokens.map(stripPunctuation).filter((token) => !this.#pronunciations.has(token)))]
    if (unknown.length > 0) {
      const { stdout } = this.#run([...PRONUNCIATION_OPTIONS, '-t', `${unknown.join(', ')},`, 'none'])
      const groups = readGroups(stdout)
      if (groups.length === unknown.length) {
        if (this.#pronunciations.size > MAX_CACHED_TOKENS) this.#pronunciations.clear()
        for (const [index, token] of unknown.entries()) this.#pronunciations.set(token, groups[index] ?? [])
      }
    }
    // A token with an internal pause looks like two tokens. Its letters then replace its phones.
    return tokens.map((token) => this.#pronunciations.get(stripPunctuation(token)) ?? [...stripPunctuation(token)])
  }
}

function spoken(tokens: readonly SpokenToken[]): SpokenToken[] {
  return tokens.filter((token) => token.spoken !== '')
}

/** Removes punctuation, which would cause pauses. */
function stripPunctuation({ spoken: spelling }: SpokenToken): string {
  const bare = spelling.replace(/^["'([{<]+/, '').replace(/(?<!["')\]}>.,;:!?-])["')\]}>.,;:!?-]+$/, '')
  return bare || spelling
}

function filterWithPhones(tokens: readonly SpokenToken[], phones: readonly (readonly string[])[]) {
  let index = 0
  return tokens.map(({ text, spoken: spelling }) => {
    if (spelling === '') return { text, phones: [] }
    index += 1
    return { text, phones: phones[index - 1] ?? [] }
  })
}

/** Parses the output of `-psdur`: `name:end`, in seconds from the first sample. */
function readPhones(stdout: string): SpokenPhone[] {
  const ends = [...stdout.matchAll(/(?<!\S)(\S+?):(\d+(?:\.\d+)?)(?=\s|$)/g)].map(([, name, end]) => ({
    name: name ?? '',
    endMs: Number(end) * 1000,
  }))
  return ends.map(({ name, endMs }, index) => ({ name, startMs: ends[index - 1]?.endMs ?? 0, endMs }))
}

function readGroups(stdout: string): string[][] {
  return stdout
    .split(/\bpau\b/)
    .map((group) => group.split(/\s+/).filter((phone) => phone !== ''))
    .filter((group) => group.length > 0)
}

interface Wave {
  readonly samples: Int16Array<ArrayBuffer>
  readonly rateHz: number
}

function readWav(file: Uint8Array): Wave {
  if (file.length < WAV_HEADER_BYTES) throw new Error('The synthesizer wrote no audio.')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const samples = new Int16Array((file.length - WAV_HEADER_BYTES) >> 1)
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(WAV_HEADER_BYTES + index * 2, true)
  }
  return { samples, rateHz: view.getUint32(24, true) }
}

function trimSilence({ samples, rateHz }: Wave, sounds: readonly SpokenPhone[]) {
  const startMs = Math.max(0, (sounds[0]?.startMs ?? 0) - LEAD_SECONDS * 1000)
  const endMs = (sounds.at(-1)?.endMs ?? Number.POSITIVE_INFINITY) + TAIL_SECONDS * 1000
  const start = Math.min(samples.length, Math.round((startMs / 1000) * rateHz))
  const end = Math.min(samples.length, Math.round((endMs / 1000) * rateHz))
  return { samples: samples.slice(start, end), startMs }
}

function shiftPhone({ name, startMs, endMs }: SpokenPhone, byMs: number, lengthMs: number): SpokenPhone {
  const place = (timeMs: number): number => Math.round(Math.min(lengthMs, Math.max(0, timeMs - byMs)))
  return { name, startMs: place(startMs), endMs: place(endMs) }
}

function resample(samples: Int16Array<ArrayBuffer>, fromHz: number, toHz: number): Int16Array<ArrayBuffer> {
  if (fromHz === toHz) return samples
  const resampler = createResampler(fromHz, toHz)
  const body = resampler.push(samples)
  const rest = resampler.flush()
  const whole = new Int16Array(body.length + rest.length)
  whole.set(body)
  whole.set(rest, body.length)
  return whole
}

/** A spoken phone. */
export interface SpokenPhone {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** Times words by aligning the phones of an utterance (without pauses) with the phones of each single word. */
export function timeWords(
  words: readonly { readonly text: string; readonly phones: readonly string[] }[],
  spoken: readonly SpokenPhone[],
): TimedWord[] {
  const expected = words.flatMap(({ phones }) => phones)
  const reached = alignPrefixes(
    expected,
    spoken.map(({ name }) => name),
  )
  let taken = 0
  let from = 0
  return words.map(({ text, phones }) => {
    taken += phones.length
    const to = Math.max(from, reached[taken] ?? spoken.length)
    const first = spoken[from]
    const last = spoken[to - 1]
    const isSilent = to === from || first === undefined || last === undefined
    // A word without phones is placed at the end of the previous word.
    const silentMs = spoken[from - 1]?.endMs ?? spoken[0]?.startMs ?? 0
    from = to
    return isSilent ? { text, startMs: silentMs, endMs: silentMs } : { text, startMs: first.startMs, endMs: last.endMs }
  })
}

/**
 * Returns, for each prefix of `expected`, the number of `spoken` phones that it covers in a minimal alignment (edit distance,
 * because phones change, merge and drop out in running speech). The numbers are monotonic, and the last number covers all
 * phones.
 */
export function alignPrefixes(expected: readonly string[], spoken: readonly string[]): number[] {
  const width = spoken.length + 1
  const costs = new Uint16Array((expected.length + 1) * width)
  for (let column = 0; column < width; column += 1) costs[column] = column
  for (let row = 1; row <= expected.length; row += 1) {
    costs[row * width] = row
    for (let column = 1; column < width; column += 1) {
      const above = (row - 1) * width + column
      const differs = expected[row - 1] === spoken[column - 1] ? 0 : 1
      costs[row * width + column] = Math.min(
        getCost(costs, above - 1) + differs,
        getCost(costs, above) + 1,
        getCost(costs, row * width + column - 1) + 1,
      )
    }
  }
  const reached = new Array<number>(expected.length + 1).fill(0)
  let row = expected.length
  let column = spoken.length
  reached[row] = column
  while (row > 0) {
    const here = getCost(costs, row * width + column)
    const above = (row - 1) * width + column
    const differs = expected[row - 1] === spoken[column - 1] ? 0 : 1
    if (column > 0 && here === getCost(costs, above - 1) + differs) {
      row -= 1
      column -= 1
      reached[row] = column
    } else if (here === getCost(costs, above) + 1) {
      row -= 1
      reached[row] = column
    } else column -= 1
  }
  return reached
}

function getCost(costs: Uint16Array, index: number): number {
  return costs[index] ?? Number.MAX_SAFE_INTEGER
}
