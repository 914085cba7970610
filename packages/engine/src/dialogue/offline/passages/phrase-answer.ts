import type { Passage } from '@parley/contract/knowledge-passage'
import { withoutMarkup } from '../phrase-fact.ts'
import { asSentence, shorten } from '../split-sentences.ts'
import { addressesModel } from './addresses-model.ts'
import { formShare } from './answer-form.ts'
import { coverWords, documentWords, notFoundWords, pageWords, type SpokenLanguage } from './languages.ts'
import type { RatedAnswer } from './rate-statements.ts'
import { type Cell, type Statement, spokenName } from './read-passage.ts'
import type { Question, Slot } from './read-question.ts'
import { synonymGroupsOf } from './synonyms.ts'
import { likeness, wordsOf } from './words.ts'

const maximumChars = 600
const maximumCells = 6

function nameOf(sourceName: string, language: SpokenLanguage): string {
  const name = spokenName(sourceName)
  return name === '' || addressesModel(name) ? documentWords[language] : name
}

/** "(Price list, page 3)": as it is read and as it can be said. */
export function sourceNote({ sourceName, page }: Passage, language: SpokenLanguage): string {
  const name = shorten(nameOf(sourceName, language).replace(/[()]/g, ' ').replace(/\s+/g, ' ').trim(), 100)
  return `(${name}${page === null ? '' : `, ${pageWords[language]} ${page}`})`
}

function says(text: string, slots: readonly Slot[]): boolean {
  const words = wordsOf(text)
  return slots.some(({ word }) => words.some((one) => likeness(word, one, false) > 0.9))
}

function asksFor(text: string, question: Question): boolean {
  const words = wordsOf(text)
  return question.slots.some(({ word, kind }) => {
    const groups = synonymGroupsOf(word.stem)
    return words.some(
      (one) =>
        likeness(word, one, false) > 0.7 ||
        (kind !== 'name' && synonymGroupsOf(one.stem).some((group) => groups.includes(group))),
    )
  })
}

/** A row as one would tell it: what names it, then what was asked for; all of it when nothing in particular was. */
function phraseRow(cells: readonly Cell[], question: Question): string {
  const [first, ...others] = cells
  if (first === undefined) return ''
  const names = question.slots.filter(({ kind, form }) => kind !== 'light' && !form)
  const keys = others.filter(
    ({ header, value }, position) =>
      header === '' || (position < 2 && !asksFor(header, question) && says(value, names)),
  )
  const rest = others.filter((cell) => !keys.includes(cell))
  const byHeader = rest.filter(({ header }) => asksFor(header, question))
  const { form } = question
  const byForm = form === null ? [] : rest.filter(({ header, value }) => formShare(`${value} ${header}`, form) > 0)
  const both = byHeader.filter((cell) => byForm.includes(cell))
  const asked =
    both.length > 0 ? both : byHeader.length > 0 && form === null ? byHeader : byForm.length > 0 ? byForm : byHeader
  const told = (asked.length > 0 ? asked : rest).slice(0, maximumCells)
  const name = [first, ...keys].map(({ value }) => value).join(', ')
  const values = told.map(({ header, value }) => (header === '' ? value : `${header} ${value}`)).join(', ')
  return asSentence(values === '' ? name : `${name}: ${values}`)
}

function phraseStatement(statement: Statement, question: Question): string {
  if (statement.cells.length > 0) return phraseRow(statement.cells, question)
  return asSentence(withoutMarkup(statement.text))
}

/** What an answer stands under, when its own words do not say what it is about. */
function leadOf({ statements, fromAbove }: RatedAnswer, text: string): string {
  const [first] = statements
  if (first === undefined) return ''
  // What the lead-in of a list says may turn the meaning of its items round.
  if (first.introduced && first.label.length <= 200) return `${withoutMarkup(first.label)}: `
  if (fromAbove.length === 0) return ''
  const candidates = [first.label, ...[...first.passage.headings].reverse()].filter(
    (one) => one !== '' && !/[?？]$/.test(one) && !addressesModel(one),
  )
  const fitting = candidates.find((one) => {
    const words = wordsOf(one)
    return fromAbove.some(({ word }) => words.some((other) => likeness(word, other, false) > 0.7))
  })
  if (fitting === undefined || fitting.length > 80 || text.toLowerCase().includes(fitting.toLowerCase())) return ''
  return `${withoutMarkup(fitting)}: `
}

/** The sentences of an answer, without its source; `apart` is what tells it from another one, '' for none. */
export function phraseAnswer(
  answer: RatedAnswer,
  question: Question,
  { before, apart }: { readonly before: Statement | null; readonly apart: string },
): string {
  const told = before === null ? answer.statements : [before, ...answer.statements]
  const text = told.map((statement) => phraseStatement(statement, question)).join(' ')
  const lead = apart === '' || text.toLowerCase().includes(apart.toLowerCase()) ? leadOf(answer, text) : `${apart}: `
  return shorten(`${lead}${lead === '' ? text : text.replace(/^([^:.]{1,40}): /, '$1 ')}`, maximumChars)
}

/** Says that the documents do not answer, and what they are about; never the same sentence twice in a row. */
export function composeNotInDocuments(
  passages: readonly Passage[],
  language: SpokenLanguage,
  lastSaid: string,
): string {
  const [first, again] = notFoundWords[language]
  const topics = [...new Set(passages.map(({ sourceName }) => shorten(nameOf(sourceName, language), 60)))].slice(0, 3)
  const [covers, and] = coverWords[language]
  const listed =
    topics.length < 2 ? topics.join('') : `${topics.slice(0, -1).join(', ')} ${and} ${topics[topics.length - 1]}`
  const offer = listed === '' ? '' : ` ${covers} ${asSentence(listed).replace(/^./u, listed.charAt(0))}`
  return `${lastSaid.includes(first) ? again : first}${offer}`
}
