import { findToday } from '@parley/engine/dialogue/rules/calendar'
import { asSentence, splitSentences, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { factInOrder, isInstruction, isLabelOfOrder, isProhibition, sectionOf } from './instructions.ts'
import { languageOf, topicWords, WordSet } from './words.ts'

/** Something that may be told to callers. */
export interface Fact {
  /** "Opening hours" of "Opening hours: …", or the question of a pair of question and answer; '' for plain sentences. */
  readonly label: string
  readonly isQuestion: boolean
  readonly heading: string
  readonly sentences: readonly string[]
  /** Columns of a table row beside the first, which is the label. */
  readonly cells: readonly (readonly [header: string, value: string])[]
  /** Facts of one line share it, in order. */
  readonly line: number
  /** Name of the document; '' for facts of the prompt. */
  readonly source: string
}

/** A prompt, read: what may be told, and what is to be done. */
export interface Prompt {
  readonly language: string
  readonly facts: readonly Fact[]
  /** Orders to the agent, in order. */
  readonly instructions: readonly string[]
  /** Orders of the present step of a flow or state: the last part of the prompt when it holds nothing else. */
  readonly step: readonly string[]
  /** A text to be said in other words; '' when there is none. */
  readonly textToSay: string
  /** `YYYY-MM-DD`; `null` when the prompt does not say. */
  readonly today: string | null
  /** The words that say what the business is. */
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

/** Reads the facts of lines: of a prompt, whose orders go to `instructions`, or of a document, which has none. */
class LineReader {
  readonly facts: Fact[] = []
  readonly instructions: string[] = []
  readonly #isDocument: boolean
  readonly #source: string
  #heading = ''
  #question = ''
  #header: readonly string[] = []
  #line = 0

  constructor(source = '', isDocument = false) {
    this.#source = source
    this.#isDocument = isDocument
  }

  read(written: string): void {
    this.#line += 1
    const line = withoutMarkup(written)
    if (!/[\p{L}\p{N}]{2}/u.test(line)) return
    const heading = this.#headingOf(written, line)
    if (heading !== null) {
      this.#heading = heading
      this.#header = []
      return
    }
    if (this.#section() === 'skip' || /^\(.*\)$/.test(line)) return
    if (this.#readPair(line) || this.#readRow(line)) return
    this.#readText(line, NUMBERED.test(written))
  }

  setHeading(heading: string): void {
    this.#heading = heading
  }

  #section(): 'orders' | 'facts' | 'skip' {
    return this.#isDocument ? 'facts' : sectionOf(this.#heading)
  }

  #headingOf(written: string, line: string): string | null {
    const marked = HEADING.exec(written)
    if (marked !== null) return withoutMarkup(marked[1] ?? '')
    const isBold = /^\s{0,10}\*\*[^*]{1,80}\*\*:?\s{0,10}$/.test(written)
    const isShort = line.length <= 60 && !BULLET.test(written) && /^[^.!?:]{2,60}:$/.test(line)
    return isBold || isShort ? trimEndMarks(line, ':') : null
  }

  #add(fact: Partial<Fact> & Pick<Fact, 'sentences'>): void {
    const common = {
      label: '',
      isQuestion: false,
      heading: this.#heading,
      cells: [],
      line: this.#line,
      source: this.#source,
    }
    this.facts.push({ ...common, ...fact })
  }

  #readPair(line: string): boolean {
    const question =
      QUESTION.exec(line)?.[1] ??
      (line.endsWith('?') && line.length < 200 && this.#section() === 'facts' ? line : undefined)
    if (question !== undefined) {
      this.#question = question
      return true
    }
    if (this.#question === '') return false
    const label = this.#question
    this.#question = ''
    this.#add({ label, isQuestion: true, sentences: splitSentences(ANSWER.exec(line)?.[1] ?? line) })
    return true
  }

  /** A row of a table: `| a | b |`, or `Header: a; Header: b` as documents are cut. */
  #readRow(line: string): boolean {
    if (line.startsWith('|')) {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      if (cells.every((cell) => /^:?-*:?$/.test(cell))) return true
      if (this.#header.length === 0) this.#header = cells
      else this.#addRow(cells.map((cell, column) => [this.#header[column] ?? '', cell]))
      return true
    }
    const parts = line.split('; ')
    const pairs = parts.map((part): [string, string] => {
      const colon = part.indexOf(': ')
      return colon < 0 ? ['', part] : [part.slice(0, colon), part.slice(colon + 2)]
    })
    if (parts.length < 2 || !pairs.every(([header]) => header !== '' && header.length < 60 && !/[.!?]/.test(header)))
      return false
    this.#addRow(pairs)
    return true
  }

  #addRow(pairs: readonly (readonly [string, string])[]): void {
    const [first, ...cells] = pairs
    const filled = cells.filter(([, value]) => value !== '')
    if (first === undefined || filled.length === 0) return
    this.#add({ label: first[1], cells: filled, sentences: [] })
  }

  #readText(line: string, isNumbered: boolean): void {
    const labeled = splitLabel(line)
    if (labeled !== null && (this.#isDocument || (this.#section() === 'facts' && !isLabelOfOrder(labeled.label)))) {
      this.#add({ label: labeled.label, sentences: splitSentences(labeled.text) })
      return
    }
    for (const sentence of splitSentences(line)) this.#readSentence(sentence, isNumbered)
  }

  #readSentence(sentence: string, isNumbered: boolean): void {
    if (!/[\p{L}\p{N}]{2}/u.test(sentence)) return
    const section = this.#section() === 'orders' ? 'orders' : 'facts'
    if (this.#isDocument) {
      if (
        !isInstruction(sentence, 'facts') ||
        !/\b(?:ignore|instructions?|tool|system|assistant|you must)\b/i.test(sentence)
      )
        this.#add({ sentences: [sentence] })
      return
    }
    const inOrder = factInOrder(sentence)
    if (inOrder !== null) this.#add({ label: inOrder.about, sentences: [asSentence(inOrder.text)] })
    if (inOrder !== null || isInstruction(sentence, section) || (isNumbered && section === 'orders')) {
      this.instructions.push(sentence)
      return
    }
    const labeled = splitLabel(sentence)
    if (labeled !== null && isLabelOfOrder(labeled.label)) this.instructions.push(sentence)
    else if (labeled !== null) this.#add({ label: labeled.label, sentences: [labeled.text] })
    else this.#add({ sentences: [sentence] })
  }
}

/** "Label: text", "Label – text"; `null` for other lines. */
function splitLabel(line: string): { readonly label: string; readonly text: string } | null {
  const found = /^([^:.!?|]{2,80}?)(?::\s{1,5}| [–—] | = )(.{1,4000})$/.exec(line.slice(0, 4_100))
  const label = found?.[1]?.trim() ?? ''
  const text = found?.[2]?.trim() ?? ''
  if (label === '' || text === '' || label.split(/\s+/).length > MAX_LABEL_WORDS || /^https?$/.test(label)) return null
  return { label: label.replace(/^["“„]|["”“]$/g, ''), text }
}

function withoutMarkup(line: string): string {
  const text = line.replace(BULLET, '').trim()
  return trimEndMarks(text.replace(/\*\*|__|`/g, '').replace(/^>\s?/, ''), '')
}

/** The last part of a prompt, when nothing in it is a fact: orders for now. */
function readStep(prompt: string): readonly string[] {
  const at = prompt.search(/\n\n## Examples\n/)
  const part = (at < 0 ? prompt : prompt.slice(0, at)).trimEnd()
  const block = part.slice(part.lastIndexOf('\n\n') + 1).trim()
  if (block.length > 4_000 || /^\s*(?:#|[-*•|]|\d{1,2}[.)] )/m.test(block) || block.split('\n').length > 12) return []
  const reader = new LineReader()
  for (const line of block.split('\n')) reader.read(line)
  return reader.facts.every(({ label }) => label === '') ? splitSentences(block.replaceAll('\n', ' ')) : []
}

function withoutSecrets(facts: readonly Fact[], instructions: readonly string[], language: string): readonly Fact[] {
  const secret = instructions
    .filter((one) => isProhibition(one))
    .flatMap((one) => topicWords(one.slice(0, 300), language))
  if (secret.length === 0) return facts
  const stems = new Set(secret.map(({ stem }) => stem))
  return facts.filter(({ label, sentences }) => {
    const words = topicWords(label === '' ? (sentences[0] ?? '').slice(0, 60) : label, language).filter(
      ({ weight }) => weight === 1,
    )
    return words.length === 0 || words.filter(({ stem }) => stems.has(stem)).length < Math.min(2, words.length)
  })
}

const cache = new Map<string, Prompt>()
const MAX_CACHED = 8

/** Reads prompts as one. The last ones are kept, since each turn of a conversation has the same. */
export function readPrompt(prompts: readonly string[]): Prompt {
  const text = prompts.join('\n\n')
  const known = cache.get(text)
  if (known !== undefined) return known
  const reader = new LineReader()
  const marker = text.lastIndexOf(TEXT_TO_SAY)
  const textToSay = marker < 0 ? '' : (text.slice(marker + TEXT_TO_SAY.length).split('\n\n')[0] ?? '').trim()
  const whole = marker < 0 ? text : text.slice(0, text.lastIndexOf('Say the meaning of', marker))
  for (const line of whole.split('\n', MAX_LINES)) reader.read(line)
  const language = languageOf(text) ?? 'en'
  const prompt = {
    language,
    facts: withoutSecrets(reader.facts, reader.instructions, language),
    instructions: reader.instructions,
    step: textToSay === '' ? readStep(prompts.at(-1) ?? '') : [],
    textToSay,
    today: findToday(text),
    domain: new WordSet(reader.instructions.slice(0, 1).flatMap((one) => topicWords(one.slice(0, 300), language))),
  }
  if (cache.size >= MAX_CACHED) cache.clear()
  if (text.length < 200_000) cache.set(text, prompt)
  return prompt
}

/** The facts of a passage of a document. */
export function readPassage({
  text,
  headings,
  sourceName,
}: {
  readonly text: string
  readonly headings: readonly string[]
  readonly sourceName: string
}): readonly Fact[] {
  const reader = new LineReader(sourceName, true)
  reader.setHeading(headings.join(' ').slice(0, MAX_HEADING))
  for (const line of text.split('\n', MAX_LINES)) reader.read(line)
  return reader.facts
}

/** The words of a fact, by where they stand. */
export interface FactWords {
  readonly label: WordSet
  readonly text: WordSet
  readonly heading: WordSet
}

const wordsByFact = new WeakMap<Fact, FactWords>()

/** The words of a fact; read once. */
export function wordsOfFact(fact: Fact, language: string): FactWords {
  const known = wordsByFact.get(fact)
  if (known !== undefined) return known
  const text = [...fact.sentences, ...fact.cells.map(([header, value]) => `${header} ${value}`)].join(' ')
  const words = {
    label: new WordSet(topicWords(fact.label, language)),
    text: new WordSet(topicWords(text, language)),
    heading: new WordSet(topicWords(`${fact.heading} ${fact.source}`, language)),
  }
  wordsByFact.set(fact, words)
  return words
}
