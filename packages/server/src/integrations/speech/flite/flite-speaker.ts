import { createResampler } from '@parley/engine/audio/resampler'
import type { TimedWord } from '@parley/engine/voice/ports'
import type { WasmModule } from '../../../kernel/work/threads.ts'
import { type SpokenPhone, timeWords } from './align-phones.ts'
import type { FliteRequest } from './flite-protocol.ts'
import { type SpokenToken, tokensOf } from './flite-text.ts'
import { WasiProgram } from './wasi-program.ts'

const PAUSE = 'pau'
const WAV_HEADER_BYTES = 44
/** What the voices leave before and behind a text is 150 to 250 ms; more than this only makes an answer late. */
const LEAD_SECONDS = 0.02
const TAIL_SECONDS = 0.14
/** The smallest voice, hurried: only its pronunciation is asked for. */
const PRONUNCIATION_OPTIONS = ['-voice', 'kal', '--setf', 'duration_stretch=0.05', '-ps']
const MIN_SPEED = 0.5
const MAX_SPEED = 2
const MAX_CACHED_TOKENS = 5_000

/** A text that was spoken. `words` costs a second, shorter run where a word has not been met before. */
export interface FliteSpeech {
  readonly samples: Int16Array<ArrayBuffer>
  words(): TimedWord[]
}

/** Speaks with one compiled module, one text after the other. */
export class FliteSpeaker {
  readonly #module: WasmModule
  /** Made ahead, since that takes longer than a short text. */
  #next: WasiProgram | null = null
  /** Sounds of tokens that stand alone. */
  readonly #pronunciations = new Map<string, readonly string[]>()

  constructor(module: WasmModule) {
    this.#module = module
  }

  /** Makes the next run ready; called when nobody waits. */
  prepare(): void {
    this.#next ??= new WasiProgram(this.#module)
  }

  speak({ text, voice, speed, rateHz }: FliteRequest): FliteSpeech {
    const tokens = tokensOf(text)
    const spelling = spoken(tokens)
      .map((token) => token.spoken)
      .join(' ')
    if (spelling === '') return { samples: new Int16Array(0), words: () => timeWords(withPhones(tokens, []), []) }
    // One voice has a sibling at the rate of phones: nothing to convert.
    const name = voice === 'kal' && rateHz === 16_000 ? 'kal16' : voice
    const stretch = 1 / Math.min(MAX_SPEED, Math.max(MIN_SPEED, speed))
    const { stdout, file } = this.#run([
      ...['-voice', name, '--setf', `duration_stretch=${stretch.toFixed(3)}`, '-psdur'],
      ...['-o', '/speech.wav', '-t', spelling],
    ])
    const rendered = readWav(file)
    const sounds = readPhones(stdout).filter(({ name: phone }) => phone !== PAUSE)
    const cut = cutSilence(rendered, sounds)
    // Told now: the samples may have been handed on when the words are asked for.
    const lengthMs = (cut.samples.length / rendered.rateHz) * 1000
    return {
      samples: convert(cut.samples, rendered.rateHz, rateHz),
      words: () => {
        const shifted = sounds.map((phone) => shift(phone, cut.startMs, lengthMs))
        return timeWords(withPhones(tokens, this.#pronounce(spoken(tokens))), shifted)
      },
    }
  }

  #run(options: readonly string[]): { readonly stdout: string; readonly file: Uint8Array } {
    const program = this.#next ?? new WasiProgram(this.#module)
    this.#next = null
    return program.run(['flite', ...options])
  }

  /** The sounds of each token alone; those not met before are asked for together, with pauses between them. */
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
    // A token with a pause inside cannot be told from two: its letters stand for its sounds.
    return tokens.map((token) => this.#pronunciations.get(stripPunctuation(token)) ?? [...stripPunctuation(token)])
  }
}

function spoken(tokens: readonly SpokenToken[]): SpokenToken[] {
  return tokens.filter((token) => token.spoken !== '')
}

/** Without the punctuation that would make pauses. */
function stripPunctuation({ spoken: spelling }: SpokenToken): string {
  const bare = spelling.replace(/^["'([{<]+/, '').replace(/(?<!["')\]}>.,;:!?-])["')\]}>.,;:!?-]+$/, '')
  return bare || spelling
}

function withPhones(tokens: readonly SpokenToken[], phones: readonly (readonly string[])[]) {
  let index = 0
  return tokens.map(({ text, spoken: spelling }) => {
    if (spelling === '') return { text, phones: [] }
    index += 1
    return { text, phones: phones[index - 1] ?? [] }
  })
}

/** What `-psdur` prints: `name:end`, in seconds from the first sample. */
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
  if (file.length < WAV_HEADER_BYTES) throw new Error('The synthesiser wrote no sound.')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const samples = new Int16Array((file.length - WAV_HEADER_BYTES) >> 1)
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(WAV_HEADER_BYTES + index * 2, true)
  }
  return { samples, rateHz: view.getUint32(24, true) }
}

function cutSilence({ samples, rateHz }: Wave, sounds: readonly SpokenPhone[]) {
  const startMs = Math.max(0, (sounds[0]?.startMs ?? 0) - LEAD_SECONDS * 1000)
  const endMs = (sounds.at(-1)?.endMs ?? Number.POSITIVE_INFINITY) + TAIL_SECONDS * 1000
  const start = Math.min(samples.length, Math.round((startMs / 1000) * rateHz))
  const end = Math.min(samples.length, Math.round((endMs / 1000) * rateHz))
  return { samples: samples.slice(start, end), startMs }
}

function shift({ name, startMs, endMs }: SpokenPhone, byMs: number, lengthMs: number): SpokenPhone {
  const place = (timeMs: number): number => Math.round(Math.min(lengthMs, Math.max(0, timeMs - byMs)))
  return { name, startMs: place(startMs), endMs: place(endMs) }
}

function convert(samples: Int16Array<ArrayBuffer>, fromHz: number, toHz: number): Int16Array<ArrayBuffer> {
  if (fromHz === toHz) return samples
  const resampler = createResampler(fromHz, toHz)
  const body = resampler.push(samples)
  const rest = resampler.flush()
  const whole = new Int16Array(body.length + rest.length)
  whole.set(body)
  whole.set(rest, body.length)
  return whole
}
