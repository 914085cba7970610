import { splitWords, stripDash } from '@parley/engine/audio/word-timing'
import type { TimedWord } from '@parley/engine/voice/ports'
import { toObject } from '../../models/unknown-json.ts'
import { findField } from './elevenlabs-api.ts'

/** A spoken character with times relative to its chunk. */
export interface TimedCharacter {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

/** More characters than any chunk of audio contains. */
const MAX_CHARACTERS = 20_000

/**
 * Reads the alignment of an audio message. Prefers the alignment to the sent text, because the normalized one can contain
 * other words. Returns an empty list if there is no valid alignment.
 */
export function readAlignment(message: Readonly<Record<string, unknown>>): TimedCharacter[] {
  const alignment =
    toObject(message.alignment) ?? toObject(findField(message, ['normalizedAlignment', 'normalized_alignment']))
  if (alignment === null) return []
  const texts = toArray(findField(alignment, ['chars', 'characters']))
  const starts = toArray(findField(alignment, ['charStartTimesMs', 'char_start_times_ms']))
  const durations = toArray(
    findField(alignment, ['charDurationsMs', 'charsDurationsMs', 'char_durations_ms', 'chars_durations_ms']),
  )
  const characters: TimedCharacter[] = []
  for (const [index, text] of texts.entries()) {
    const [startMs, durationMs] = [starts[index], durations[index]]
    if (typeof text !== 'string' || !isTime(startMs) || !isTime(durationMs)) break
    appendItem(characters, text, { startMs, durationMs })
    if (characters.length > MAX_CHARACTERS) break
  }
  return characters
}

/** Appends the characters of an item, which share its duration equally. */
function appendItem(
  characters: TimedCharacter[],
  text: string,
  { startMs, durationMs }: { readonly startMs: number; readonly durationMs: number },
): void {
  const itemCharacters = [...text.slice(0, MAX_CHARACTERS)]
  const stepMs = durationMs / itemCharacters.length
  for (const [index, character] of itemCharacters.entries()) {
    const characterStartMs = startMs + index * stepMs
    characters.push({ text: character, startMs: characterStartMs, endMs: characterStartMs + stepMs })
  }
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

interface WordProgress {
  readonly text: string
  readonly characters: readonly string[]
  /** Number of characters up to the last matched one. */
  spokenCount: number
  /** Whether a letter or digit was spoken, matched or not. */
  isSpoken: boolean
  startMs: number
  endMs: number
}

/**
 * Converts aligned characters to the words of the requested text. A word ends with its last character or, if the spoken
 * characters differ from the text, with the next space.
 */
export class WordTimer {
  readonly #words: WordProgress[]
  #index = 0
  #lastEndMs = 0

  constructor(text: string) {
    this.#words = splitWords(text).map((word) => ({
      text: stripDash(word.text),
      characters: [...word.text.toLowerCase()].filter(isVisible),
      spokenCount: 0,
      isSpoken: false,
      startMs: 0,
      endMs: 0,
    }))
  }

  /** Adds the characters of a chunk that starts at `offsetMs`. Returns the words that they complete. */
  push(characters: readonly TimedCharacter[], offsetMs: number): TimedWord[] {
    const completedWords: TimedWord[] = []
    for (const { text, startMs, endMs } of characters) {
      const word = this.#words[this.#index]
      if (word === undefined) break
      if (isVisible(text)) speakCharacter(word, text, { startMs: startMs + offsetMs, endMs: endMs + offsetMs })
      const isEnded = word.spokenCount === word.characters.length || (word.isSpoken && !isVisible(text))
      if (isEnded) completedWords.push(this.#complete(word))
    }
    return completedWords
  }

  /** Returns the words that were not aligned, spread over the rest of the audio, or none if there was no alignment. */
  finish(audioEndMs: number): TimedWord[] {
    const currentWord = this.#words[this.#index]
    if (currentWord === undefined || (this.#index === 0 && !currentWord.isSpoken)) return []
    const spokenWords = currentWord.isSpoken ? [this.#complete(currentWord)] : []
    const remainingWords = this.#words.slice(this.#index)
    const stepMs = Math.max(0, audioEndMs - this.#lastEndMs) / Math.max(1, remainingWords.length)
    const spreadWords = remainingWords.map((word) => {
      word.endMs = this.#lastEndMs + stepMs
      return this.#complete(word)
    })
    return [...spokenWords, ...spreadWords]
  }

  /** Returns the word that the end of the audio interrupts, with the time at which it would have ended. */
  interrupt(): TimedWord[] {
    const word = this.#words[this.#index]
    if (word === undefined || !word.isSpoken || word.spokenCount === 0) return []
    word.endMs = word.startMs + ((word.endMs - word.startMs) * word.characters.length) / word.spokenCount
    return [this.#complete(word)]
  }

  #complete({ text, startMs, endMs }: WordProgress): TimedWord {
    this.#index += 1
    const wordStartMs = Math.max(startMs, this.#lastEndMs)
    this.#lastEndMs = Math.max(wordStartMs, endMs)
    return { text, startMs: wordStartMs, endMs: this.#lastEndMs }
  }
}

function speakCharacter(
  word: WordProgress,
  character: string,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): void {
  const matchIndex = word.characters.indexOf(character.toLowerCase(), word.spokenCount)
  // Punctuation that is not part of the word is no sign that the word was spoken.
  if (matchIndex < 0 && !/[\p{L}\p{N}]/u.test(character)) return
  if (word.spokenCount === 0 && !word.isSpoken) word.startMs = startMs
  if (matchIndex >= 0) word.spokenCount = matchIndex + 1
  word.isSpoken ||= /[\p{L}\p{N}]/u.test(character)
  word.endMs = endMs
}

function isVisible(character: string): boolean {
  return /\S/.test(character)
}
