import { findToday } from './calendar.ts'
import { isInstruction } from './classify-sentence.ts'
import type { Identity } from './identity.ts'
import { phraseList, withoutMarkup } from './phrase-fact.ts'
import { type PromptLine, readLine } from './read-line.ts'
import { addFact, createDraft, type Draft, type Fact, readProse } from './read-statements.ts'
import { asSentence } from './split-sentences.ts'

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
/** Lines after these are not read, so that a prompt of empty lines costs no more than one of words. */
const maximumLines = 10_000

/** Ends the running list: its items are also told together under their heading. */
function endList(draft: Draft): void {
  const { heading, items, facts, listStart } = draft
  if (heading !== '' && items.length > 1 && items.length <= 12) {
    // Bare names say little alone; they are said as a list.
    const bare = new Set(items.filter((item) => item.split(/\s+/).length <= 4 && !/\d/.test(item)).map(asSentence))
    const own = facts.splice(listStart).filter(({ context, text }) => context !== heading || !bare.has(text))
    facts.push(...own, { text: phraseList(heading, items), context: heading })
  }
  draft.items = []
}

function takeLine(draft: Draft, line: PromptLine): void {
  if (line.kind === 'blank') {
    draft.question = ''
    return
  }
  if (line.kind !== 'item') endList(draft)
  if (line.kind === 'heading') {
    draft.heading = line.text
    draft.question = ''
    draft.instructive = instructiveSection.test(line.text) && !customerSection.test(line.text)
  } else if (line.kind === 'question') draft.question = line.text
  else if (line.kind === 'answer') {
    if (draft.question !== '') addFact(draft, line.text, draft.question)
  } else if (draft.question !== '' && line.kind === 'prose' && !isInstruction(line.text)) {
    addFact(draft, line.text, draft.question)
    draft.question = ''
  } else {
    const before = draft.facts.length
    readProse(draft, line.text)
    if (line.kind === 'item' && draft.facts.length === before + 1 && line.text.length <= 90) {
      if (draft.items.length === 0) draft.listStart = before
      draft.items.push(line.text)
    }
  }
}

/** Reads a text: pure, in one pass, and whatever the text is. */
export function readPrompt(source: string): PromptReading {
  const draft = createDraft()
  const lines = source.split(/\r\n|\r|\n/, maximumLines)
  for (const [position, line] of lines.entries()) {
    const headsTable = line.includes('|') && /^\|?\s*:?--[\s:|-]*$/.test((lines[position + 1] ?? '').trim())
    if (!headsTable) takeLine(draft, readLine(withoutMarkupKeepingLists(line)))
  }
  endList(draft)
  return {
    facts: draft.facts.filter((fact) => !fact.text.includes('{{') && !draft.confidentiality.hides(fact.text)),
    instructions: draft.instructions,
    identity: draft.identity.identity(),
    topics: [...draft.topics.values()],
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
