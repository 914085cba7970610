import type { Passage } from '@parley/contract/knowledge-passage'
import { findToday } from '@parley/engine/dialogue/rules/calendar'
import { splitSentences, toSentence, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { findSection, isInstruction, isInstructionLabel, isProhibition, parseConditionalFact } from './instructions.ts'
import { findTopicWords, languageOf, WordSet } from './words.ts'

/** Something that the agent may say to callers. */
export interface Fact {
  /** "Opening hours" of "Opening hours: …", or the question of a pair of question and answer; '' for plain sentences. */
  readonly label: string
  readonly isQuestion: boolean
  readonly heading: string
  readonly sentences: readonly string[]
  /** A table row: its first cell is the label, each other cell is a sentence after its header. */
  readonly isRow: boolean
}

/** What the model reads from a prompt: facts for callers and instructions to the agent. */
export interface Prompt {
  readonly language: string
  readonly facts: readonly Fact[]
  /** Instructions to the agent, in their order. */
  readonly instructions: readonly string[]
  /** Instructions of the current step or state: the last part of the prompt when it has no facts. */
  readonly step: readonly string[]
  /** A text that the engine asks the model to rephrase; '' without one. */
  readonly textToSay: string
  /** `YYYY-MM-DD`; `null` when the prompt does not say. */
  readonly today: string | null
  /** Words for the business; questions about it rarely need them. */
  readonly domain: WordSet
}

const MAX_LINES = 10_000
const MAX_HEADING = 200
const MAX_LABEL_WORDS = 9
const BULLET = /^\s{0,20}(?:[-*•–]|\d{1,3}[.)])\s{1,10}/
const NUMBERED = /^\s{0,20}\d{1,3}[.)]\s/
const HEADING = /^\s{0,10}#{1,6}\s{0,10}(.{1,200})$/
const QUESTION = /^(?:q|question|f|frage)\s?\d{0,3}\s?[:.]\s?(.+)$/i
const ANSWER = /^(?:a|answer|antwort)\s?\d{0,3}\s?[:.]\s?(.+)$/i
const TEXT_TO_SAY = 'The text:\n'
/** Lines without letters or digits are skipped. */
const READABLE = /[\p{L}\p{N}]{2}/u
/** Instructions of a document to an agent that reads it. */
const INSTRUCTION_TO_READER = /\b(?:ignore|instructions?|tool|system|assistant|you must)\b/i

/** Reads the lines of a prompt into facts and instructions, or the lines of a document into facts only. */
class LineReader {
  readonly facts: Fact[] = []
  readonly instructions: string[] = []
  readonly #isDocument: boolean
  #heading: string
  #question = ''
  #header: readonly string[] = []

  constructor(documentHeading: string | null = null) {
    this.#isDocument = documentHeading !== null
    this.#heading = documentHeading ?? ''
  }

  readAll(text: string): this {
    for (const line of text.split('\n', MAX_LINES)) this.#read(line)
    return this
  }

  #read(written: string): void {
    const line = removeMarkup(written)
    if (!READABLE.test(line)) return
    const heading = parseHeading(written, line)
    const section = this.#isDocument ? 'facts' : findSection(this.#heading)
    if (heading !== null) {
      this.#heading = heading
      this.#header = []
    } else if (section !== 'skip' && !/^\(.*\)$/.test(line)) {
      if (!this.#readPair(line, section) && !this.#readRow(line))
        this.#readText(line, section, NUMBERED.test(written) && section === 'instructions')
    }
  }

  #add(label: string, sentences: readonly string[], more: Partial<Fact> = {}): void {
    this.facts.push({ label, sentences, isQuestion: false, isRow: false, heading: this.#heading, ...more })
  }

  #readPair(line: string, section: 'instructions' | 'facts'): boolean {
    const isQuestion = line.endsWith('?') && line.length < 200 && section === 'facts'
    const label = this.#question
    this.#question = QUESTION.exec(line)?.[1] ?? (isQuestion ? line : '')
    if (this.#question !== '') return true
    if (label !== '') this.#add(label, splitSentences(ANSWER.exec(line)?.[1] ?? line), { isQuestion: true })
    return label !== ''
  }

  /** Reads a table row: `| a | b |`, or `Header: a; Header: b` as in passages. */
  #readRow(line: string): boolean {
    if (line.startsWith('|')) {
      const cells = line.split('|').slice(1, -1)
      const values = cells.map((cell) => cell.trim())
      if (values.every((cell) => /^:?-*:?$/.test(cell))) return true
      if (this.#header.length === 0) this.#header = values
      else this.#addRow(values.map((cell, column) => [this.#header[column] ?? '', cell]))
      return true
    }
    const pairs = line.split('; ').map((part) => /^([^.!?:]{0,59}): (.+)$/.exec(part)?.slice(1) ?? [])
    const isRow = pairs.length > 1 && pairs.every(({ length }) => length > 0)
    if (isRow) this.#addRow(pairs)
    return isRow
  }

  #addRow([first, ...others]: readonly (readonly string[])[]): void {
    const cells = others.flatMap(([header, value = '']) => (value === '' ? [] : [`${header} ${value}`.trim()]))
    if (cells.length > 0) this.#add(first?.[1] ?? '', cells, { isRow: true })
  }

  #readText(line: string, section: 'instructions' | 'facts', isStep: boolean): void {
    const [label, text] = splitLabel(line)
    const isFact = label !== '' && (this.#isDocument || (section === 'facts' && !isInstructionLabel(label)))
    if (isFact) this.#add(label, splitSentences(text))
    for (const sentence of isFact ? [] : splitSentences(line).filter((one) => READABLE.test(one))) {
      if (!this.#isDocument) this.#readSentence(sentence, section, isStep)
      else if (!isInstruction(sentence, 'facts') || !INSTRUCTION_TO_READER.test(sentence)) this.#add('', [sentence])
    }
  }

  #readSentence(sentence: string, section: 'instructions' | 'facts', isStep: boolean): void {
    const stated = parseConditionalFact(sentence)
    const [label, text] = splitLabel(sentence)
    if (stated !== null) this.#add(stated.about, [toSentence(stated.text)])
    if (stated !== null || isStep || isInstruction(sentence, section) || (label !== '' && isInstructionLabel(label))) {
      this.instructions.push(sentence)
    } else this.#add(label, [label === '' ? sentence : text])
  }
}

function parseHeading(written: string, line: string): string | null {
  const marked = HEADING.exec(written)
  if (marked !== null) return removeMarkup(marked[1] ?? '')
  const isBold = /^\s{0,10}\*\*[^*]{1,80}\*\*:?\s{0,10}$/.test(written)
  const isShort = line.length <= 60 && !BULLET.test(written) && /^[^.!?:]{2,60}:$/.test(line)
  return isBold || isShort ? trimEndMarks(line, ':') : null
}

/** Splits "Label: text" and "Label – text". Returns empty strings for other lines. */
function splitLabel(line: string): readonly [label: string, text: string] {
  const [, label = '', text = ''] =
    /^([^:.!?|]{2,80}?)(?::\s{1,5}| [–—] | = )(.{1,4000})$/.exec(line.slice(0, 4_100)) ?? []
  const isLabel = label.trim() !== '' && label.split(/\s+/).length <= MAX_LABEL_WORDS
  return isLabel ? [label.trim().replace(/^["“„]|["”“]$/g, ''), text.trim()] : ['', '']
}

function removeMarkup(line: string): string {
  const plainText = line.replace(BULLET, '').replace(/\*\*|__|`/g, '')
  return plainText.trim().replace(/^>\s*/, '')
}

/** Returns the last part of a prompt if the part contains only instructions. */
function readStep(prompt: string): readonly string[] {
  const part = (prompt.split('\n\n## Examples\n', 1)[0] ?? '').trimEnd()
  const block = part.slice(part.lastIndexOf('\n\n') + 1).trim()
  if (block.length > 4_000 || /^\s*(?:#|[-*•|]|\d{1,2}[.)] )/m.test(block)) return []
  const isInstructionsOnly = new LineReader().readAll(block).facts.every(({ label }) => label === '')
  return isInstructionsOnly ? splitSentences(block.replaceAll('\n', ' ')) : []
}

/** Removes facts that the agent must not mention. */
function removeSecrets(facts: readonly Fact[], instructions: readonly string[], language: string): readonly Fact[] {
  const forbidden = instructions.filter(isProhibition).flatMap((one) => findTopicWords(one.slice(0, 300), language))
  const stems = new Set(forbidden.map(({ stem }) => stem))
  return facts.filter(({ label, sentences: [first = ''] }) => {
    const words = findTopicWords(label || first.slice(0, 60), language).filter(({ weight }) => weight === 1)
    return words.length === 0 || words.filter(({ stem }) => stems.has(stem)).length < Math.min(2, words.length)
  })
}

const cache = new Map<string, Prompt>()
const MAX_CACHED = 8
const MAX_CACHED_CHARACTERS = 200_000

/** Reads prompts as one text, with a cache, because every turn of a conversation has the same prompts. */
export function readPrompt(prompts: readonly string[]): Prompt {
  const text = prompts.join('\n\n')
  const cachedPrompt = cache.get(text)
  if (cachedPrompt !== undefined) return cachedPrompt
  const marker = text.lastIndexOf(TEXT_TO_SAY)
  const textToSay = marker < 0 ? '' : (text.slice(marker + TEXT_TO_SAY.length).split('\n\n')[0] ?? '').trim()
  const { facts, instructions } = new LineReader().readAll(
    marker < 0 ? text : text.slice(0, text.lastIndexOf('Say the meaning of', marker)),
  )
  const language = languageOf(text) ?? 'en'
  const step = textToSay === '' ? readStep(prompts.at(-1) ?? '') : []
  const domain = new WordSet(findTopicWords((instructions[0] ?? '').slice(0, 300), language))
  const sayable = removeSecrets(facts, instructions, language)
  const prompt = { language, facts: sayable, instructions, step, textToSay, today: findToday(text), domain }
  if (cache.size >= MAX_CACHED) cache.clear()
  if (text.length < MAX_CACHED_CHARACTERS) cache.set(text, prompt)
  return prompt
}

/** Returns the facts in a passage. */
export function readPassage({ text, headings, sourceName }: Passage): readonly Fact[] {
  return new LineReader(`${headings.join(' ')} ${sourceName}`.slice(0, MAX_HEADING)).readAll(text).facts
}

type FactWords = Readonly<Record<'label' | 'text' | 'heading', WordSet>>

const wordsByFact = new WeakMap<Fact, FactWords>()

/** The words of the last heading. Consecutive facts share their heading, which can be longer than all their sentences. */
let lastHeading: { readonly heading: string; readonly language: string; readonly words: WordSet } | null = null

function readHeadingWords(heading: string, language: string): WordSet {
  if (lastHeading?.heading !== heading || lastHeading.language !== language)
    lastHeading = { heading, language, words: new WordSet(findTopicWords(heading, language)) }
  return lastHeading.words
}

/** Returns the words of a fact by part, cached after the first call. */
export function getFactWords(fact: Fact, language: string): FactWords {
  const words = wordsByFact.get(fact) ?? {
    label: new WordSet(findTopicWords(fact.label, language)),
    text: new WordSet(findTopicWords(fact.sentences.join(' '), language)),
    heading: readHeadingWords(fact.heading, language),
  }
  wordsByFact.set(fact, words)
  return words
}
