import { isInstruction, readAnswerRule } from './classify-sentence.ts'
import { type Confidentiality, createConfidentiality } from './confidential.ts'
import { createIdentityReader } from './identity.ts'
import { phraseLabelled, standsAlone } from './phrase-fact.ts'
import { asSentence, shorten, splitSentences } from './split-sentences.ts'

/** Something that may be told to a customer. */
export interface Fact {
  /** Ready to be said. */
  readonly text: string
  /** What else it is about: heading, label or the question that it answers. */
  readonly context: string
}

/** What is known of a prompt while it is being read. */
export interface Draft {
  facts: Fact[]
  items: string[]
  /** How many facts stood before the first of the items. */
  listStart: number
  heading: string
  question: string
  /** The section tells the agent how to behave. */
  instructive: boolean
  readonly instructions: string[]
  readonly topics: Map<string, string>
  readonly identity: ReturnType<typeof createIdentityReader>
  readonly confidentiality: Confidentiality
}

const speakerTurn = /^(?:user|agent|assistant|customer|caller|bot|you|ai|human|example)\s*:/i
const instructiveLabel =
  /^(?:tone|style|role|goal|task|persona|personality|objective|language|voice|instructions?|rules?|important|output|format|context|remember|purpose|your \w+|character|never|always|note to .*|reminder)$/i
const labelled = /^([\p{L}\p{N}][^:：.!?]{0,58}?)(?:: |：\s?)(.+)$/su

const maximumFactChars = 600
/** "1." says nothing. */
const minimumSentenceChars = 3

/** An empty draft. */
export function createDraft(): Draft {
  return {
    facts: [],
    items: [],
    listStart: 0,
    heading: '',
    question: '',
    instructive: false,
    instructions: [],
    topics: new Map(),
    identity: createIdentityReader(),
    confidentiality: createConfidentiality(),
  }
}

function addTopic(draft: Draft, name: string): void {
  const topic = name.trim().replace(/[:：?]$/, '')
  if (topic.length > 2 && topic.length < 40 && topic.split(/\s+/).length <= 4)
    draft.topics.set(topic.toLowerCase(), topic)
}

/** Adds a fact, unless it says nothing. */
export function addFact(draft: Draft, text: string, context: string): void {
  if (!/[\p{L}\p{N}]/u.test(text)) return
  draft.facts.push({ text: shorten(asSentence(text), maximumFactChars), context })
}

function readStatement(draft: Draft, sentence: string, context: string): void {
  const label = labelled.exec(sentence)
  const name = label?.[1]?.trim() ?? ''
  const value = label !== null && name.split(/\s+/).length <= 6 ? (label[2] ?? '') : null
  const instructs = draft.instructive || (value !== null && instructiveLabel.test(name)) || speakerTurn.test(sentence)
  if (instructs || isInstruction(sentence)) {
    draft.instructions.push(sentence)
    // "The code is 12. Never share it." forbids the sentence before.
    if (draft.confidentiality.note(sentence)) draft.facts.pop()
  } else if (value !== null) {
    if (isInstruction(value)) return
    addTopic(draft, name)
    addFact(draft, phraseLabelled(name, value), `${context} ${name}`)
  } else if (!sentence.endsWith('?')) {
    addFact(draft, sentence, context)
    if (draft.heading !== '') addTopic(draft, draft.heading)
  }
}

/** Reads a line of prose or one list item into the draft, sentence by sentence. */
export function readProse(draft: Draft, text: string): void {
  let label = ''
  for (const [position, sentence] of splitSentences(text).entries()) {
    if (sentence.length < minimumSentenceChars || draft.identity.read(sentence)) continue
    const rule = readAnswerRule(sentence)
    if (rule !== null) addFact(draft, rule.answer, rule.question)
    else readStatement(draft, sentence, `${draft.heading} ${label}`.trim())
    const own = position === 0 ? labelled.exec(sentence) : null
    if (own !== null && standsAlone(own[2] ?? '')) label = own[1] ?? ''
  }
}
