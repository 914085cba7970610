import { findToday } from './calendar.ts'
import { isInstruction, readAnswerRule } from './classify-sentence.ts'
import { createConfidentiality } from './confidential.ts'
import { createIdentityReader, type Identity } from './identity.ts'
import { phraseLabelled, phraseList, standsAlone, withoutMarkup } from './phrase-fact.ts'
import { readLine } from './read-line.ts'
import { asSentence, shorten, splitSentences } from './split-sentences.ts'

/** Something that may be told to a customer. */
export interface Fact {
  /** Ready to be said. */
  readonly text: string
  /** What else it is about: heading, label or the question that it answers. */
  readonly context: string
}

/** A prompt or knowledge passage, taken apart. */
export interface PromptReading {
  readonly facts: readonly Fact[]
  /** In order; never said, only followed. */
  readonly instructions: readonly string[]
  readonly identity: Identity
  /** Headings and labels that have facts, in order. */
  readonly topics: readonly string[]
  /** The current date that the text states, as `YYYY-MM-DD`. */
  readonly today: string | null
}

const instructiveSection =
  /\b(?:instructions?|rules?|guidelines?|guardrails?|style|tone|role|persona(?:lity)?|goals?|objectives?|tasks?|steps?|behaviou?r|conversation flow|call flow|workflow|tools?|constraints?|examples?|safety|do'?s and don'?ts|dont?s|must|response format|output|character|voice|identity|boundaries|handling|limitations)\b/i
const customerSection =
  /\b(?:cancellation|return|house|dress|safety (?:rules|equipment)|pool|safety instructions|care|policy|policies|faq|questions)\b/i
const speakerTurn = /^(?:user|agent|assistant|customer|caller|bot|you|ai|human|example)\s*:/i
const instructiveLabel =
  /^(?:tone|style|role|goal|task|persona|personality|objective|language|voice|instructions?|rules?|important|output|format|context|remember|purpose|your \w+|character|never|always|note to .*|reminder)$/i
const labelled = /^([\p{L}\p{N}][^:：.!?]{0,58}?)(?:: |：\s?)(.+)$/su

/** Reads a text: pure, in one pass, and whatever the text is. */
export function readPrompt(source: string): PromptReading {
  const facts: Fact[] = []
  const instructions: string[] = []
  const topics = new Map<string, string>()
  const identity = createIdentityReader()
  const confidentiality = createConfidentiality()
  let heading = ''
  let instructive = false
  let question = ''
  let items: string[] = []

  const addTopic = (name: string): void => {
    const topic = name.trim().replace(/[:：?]$/, '')
    if (topic.length > 2 && topic.length < 40 && topic.split(/\s+/).length <= 4) topics.set(topic.toLowerCase(), topic)
  }
  const addFact = (text: string, context: string): void => {
    if (!/[\p{L}\p{N}]/u.test(text)) return
    facts.push({ text: shorten(asSentence(text), 600), context })
    if (heading !== '') addTopic(heading)
  }
  const endList = (): void => {
    if (heading !== '' && items.length > 1 && items.length <= 12) {
      // Bare names say little alone; they are said as a list.
      const bare = new Set(items.filter((item) => item.split(/\s+/).length <= 4 && !/\d/.test(item)).map(asSentence))
      facts.splice(0, facts.length, ...facts.filter((fact) => fact.context !== heading || !bare.has(fact.text)))
      facts.push({ text: phraseList(heading, items), context: heading })
    }
    items = []
  }
  const readStatement = (sentence: string, context: string): void => {
    const label = labelled.exec(sentence)
    const name = label?.[1]?.trim() ?? ''
    const asLabel = label !== null && name.split(/\s+/).length <= 6
    if (
      instructive ||
      (asLabel && instructiveLabel.test(name)) ||
      isInstruction(sentence) ||
      speakerTurn.test(sentence)
    ) {
      instructions.push(sentence)
      if (confidentiality.note(sentence)) facts.pop()
    } else if (asLabel) {
      if (isInstruction(label[2] ?? '')) return
      addTopic(name)
      addFact(phraseLabelled(name, label[2] ?? ''), `${context} ${name}`)
    } else if (!sentence.endsWith('?')) addFact(sentence, context)
  }
  const readProse = (text: string, context: string): void => {
    let label = ''
    for (const [position, sentence] of splitSentences(text).entries()) {
      if (identity.read(sentence)) continue
      const rule = readAnswerRule(sentence)
      if (rule !== null) facts.push({ text: shorten(rule.answer, 600), context: rule.question })
      else readStatement(sentence, `${context} ${label}`.trim())
      const own = position === 0 ? labelled.exec(sentence) : null
      if (own !== null && standsAlone(own[2] ?? '')) label = own[1] ?? ''
    }
  }

  const lines = source.split(/\r\n|\r|\n/)
  for (const [position, raw] of lines.entries()) {
    if (raw.includes('|') && /^\s*\|?\s*:?-{2,}[\s:|-]*$/.test(lines[position + 1] ?? '')) continue
    const line = readLine(withoutMarkupKeepingLists(raw))
    if (line.kind === 'blank') {
      question = ''
      continue
    }
    if (line.kind !== 'item') endList()
    if (line.kind === 'heading') {
      heading = line.text
      question = ''
      instructive = instructiveSection.test(line.text) && !customerSection.test(line.text)
    } else if (line.kind === 'question') question = line.text
    else if (line.kind === 'answer') {
      if (question !== '' && !confidentiality.hides(line.text))
        facts.push({ text: shorten(asSentence(line.text), 600), context: question })
    } else if (question !== '' && line.kind === 'prose' && !isInstruction(line.text)) {
      facts.push({ text: shorten(asSentence(line.text), 600), context: question })
      question = ''
    } else {
      const before = facts.length
      readProse(line.text, heading)
      if (line.kind === 'item' && facts.length === before + 1 && line.text.length <= 90) items.push(line.text)
    }
  }
  endList()
  return {
    facts: facts.filter((fact) => !fact.text.includes('{{') && !confidentiality.hides(fact.text)),
    instructions,
    identity: identity.identity(),
    topics: [...topics.values()],
    today: findToday(source),
  }
}

/** A list's mark looks like emphasis, so it is kept apart. */
function withoutMarkupKeepingLists(line: string): string {
  const mark = /^\s*[*•]\s+/.exec(line)?.[0] ?? ''
  return /^\s*<\/?[\w -]+>\s*$/.test(line)
    ? line.trim()
    : `${mark === '' ? '' : '- '}${withoutMarkup(line.slice(mark.length))}`
}
