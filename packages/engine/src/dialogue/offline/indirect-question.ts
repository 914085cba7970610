import { addressCustomer } from './classify-sentence.ts'
import { trimEndMarks } from './cut-text.ts'
import { asSentence } from './split-sentences.ts'

/** A question that stands in an instruction ("which day the cake is"), as one would ask it. */
export interface IndirectQuestion {
  /** "Which day is the cake?" */
  readonly question: string
  /** What is asked for, as the name of a value: "day", "number of people". */
  readonly label: string
}

const preposition = '(?:for|on|at|in|by|to|from|until|since|with|under)'
const asking = '(?:which|what|how many|how much|how long|how often|how far|when|where|who|why|how)'
const opening = new RegExp(`^(?:(${preposition}) )?(${asking})\\b\\s*(.*)$`, 'i')
const auxiliary = 'is|are|was|were|has|have|had|can|could|will|would|shall|should|may|might|must|do|does|did'
const hasAuxiliary = new RegExp(`\\b(?:${auxiliary})\\b`, 'i')
const pronouns = 'it|you|we|i|he|she|this|that|these|those'
const withAuxiliary = new RegExp(
  `^((?:[\\w'’-]+ ){0,4}?)((?:${pronouns})|(?:the|your|this|that|these|those|a|an)(?: [\\w'’-]+){1,5}?)(?<! to) (${auxiliary})\\b ?(.*)$`,
  'i',
)
const withVerb =
  /^((?:[\w'’-]+ ){0,3}?)((?:the|your|this|that|these|those) [\w'’-]+|it|you|we|he|she) ([a-z]{2,}) ?(.*)/i

function labelOf(word: string, noun: string, clause: string): string {
  const named = noun
    .replace(/^(?:kind|type|sort) of /i, '')
    .trim()
    .toLowerCase()
  if (/^how many$/i.test(word)) return named === '' ? 'number' : `number of ${named}`
  return named === '' || !/^(?:which|what)$/i.test(word) ? clause.toLowerCase() : named
}

/** A main verb in the past asks for "did" and another form of itself, which no rule here knows. */
const past =
  /(?:[^e]ed|ght)$|^(?:heard|got|came|went|found|made|did|saw|paid|took|left|lost|had|met|broke|began|chose|gave|knew|said|told|wrote)$/i

interface TurnedClause {
  readonly noun: string
  /** `null`: cannot be turned round. */
  readonly asked: string | null
  /** What may be left out in the next clause. */
  readonly bare: string
}

function wordsOfClause(clause: string): TurnedClause {
  if (/^of\b/i.test(clause)) return { noun: '', asked: clause, bare: '' }
  const found = withAuxiliary.exec(clause)
  if (found !== null) {
    const [, noun = '', subject = '', verb = '', rest = ''] = found
    const spoken = /^you\b/i.test(subject)
      ? verb.replace(/^(?:is|was)$/i, 'are').replace(/^(?:has|does)$/i, 'have')
      : verb
    if (/^(?:has|have|had|does|do|did)$/i.test(verb) && rest === '') {
      const support = /^(?:had|did)$/i.test(verb)
        ? 'did'
        : /^(?:has|does)$/i.test(verb) && !/^you\b/i.test(subject)
          ? 'does'
          : 'do'
      return { noun, asked: `${support} ${subject} ${/^ha/i.test(verb) ? 'have' : 'do'}`, bare: '' }
    }
    const plural = /^(?:are|were|have|do)$/i.test(verb)
    const pronoun = /^(?:you|we|i|it|he|she)$/i.test(subject) ? subject : plural ? 'they' : 'it'
    const be = /^(?:is|are|was|were)$/i.test(verb) && rest === ''
    return { noun, asked: `${spoken} ${subject} ${rest}`.trim(), bare: be ? `${spoken} ${pronoun}` : '' }
  }
  const acting = withVerb.exec(clause)
  if (acting === null) return { noun: '', asked: clause, bare: '' }
  const [, noun = '', subject = '', verb = '', rest = ''] = acting
  if (past.test(verb)) return { noun, asked: null, bare: '' }
  const single = !/^(?:you|we|these|those)\b/i.test(subject) && /s$/i.test(verb) && !/s$/i.test(subject)
  const base = verb
    .replace(/(?<=[^aeiou])ies$/i, 'y')
    .replace(/(?<=ss|sh|ch|x|o)es$/i, '')
    .replace(/(?<=[^s])s$/i, '')
  return { noun, asked: `${single ? 'does' : 'do'} ${subject} ${base} ${rest}`.trim(), bare: '' }
}

function nounBefore(clause: string): string {
  const verb = new RegExp(
    `^((?:[\\w'’-]+ ){0,3}?[\\w'’-]+)(?= (?:${auxiliary}|suits?|fits?|works?|comes?|needs?|happened)\\b)`,
    'i',
  )
  return verb.exec(clause)?.[1] ?? (clause.split(/\s+/).length <= 3 ? clause : '')
}

/** Says what is still open ("what is not known yet"), not what that is. */
const unnamed =
  /^(?:for )?(?:what(?:ever|soever)?|anything|everything|all)(?: else)?\b(?=.{0,60}\b(?:known|missing|needed|required|necessary|open|left|lacks?|need)\b)/i

/** Turns one clause with a question word round; `before` completes what it leaves out: "… and for how many people". */
function turnRound(source: string, before: string): (IndirectQuestion & { readonly bare: string }) | null {
  const clause = addressCustomer(trimEndMarks(source.trim(), '.?!'))
  const [, lead = '', word = '', rest = ''] = opening.exec(clause) ?? []
  if (word === '' || clause.length > 200 || unnamed.test(clause)) return null
  const { noun, asked, bare } = wordsOfClause(rest)
  const own = clause.slice(lead === '' ? 0 : lead.length + 1)
  if (asked === null) return { question: `May I ask ${own}?`, label: labelOf(word, noun, own), bare: '' }
  const elliptical = asked === rest && rest.split(/\s+/).length <= 2 && !hasAuxiliary.test(rest)
  // Of "ask for which size they want", "for" belongs to the asking; of "for which day the cake is", to the question.
  const leads = lead !== '' && (!/^for$/i.test(lead) || elliptical || (bare !== '' && noun !== ''))
  const turned = asked === rest ? rest : `${noun}${asked}`
  const completed = elliptical && leads && before !== '' ? `${turned} ${before}` : turned
  const words = `${leads ? `${lead} ` : ''}${word} ${completed}`.replace(/\s,/g, ',').trim()
  return {
    question: `${asSentence(words).replace(/[.]$/, '')}?`,
    label: labelOf(word, asked === rest ? nounBefore(rest) : noun, own),
    bare,
  }
}

/** The questions in a list such as "which day the cake is", "for how many people"; what is no question stays as it is. */
export function indirectQuestions(parts: readonly string[]): (IndirectQuestion | string)[] {
  let before = ''
  return parts.map((part) => {
    const turned = turnRound(part, before)
    if (turned === null) return part
    before = turned.bare === '' ? before : turned.bare
    return { question: turned.question, label: turned.label }
  })
}

/** Whether a phrase begins with a clause that asks. */
export function asksIndirectly(phrase: string): boolean {
  return opening.test(phrase) && !unnamed.test(phrase) && !phrase.includes(':')
}

/** Whether a phrase says that something is wanted without naming it. */
export function namesNothing(phrase: string): boolean {
  return unnamed.test(phrase)
}
