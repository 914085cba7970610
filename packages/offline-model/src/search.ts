import { findWeekdays } from '@parley/engine/dialogue/rules/calendar'
import { ANSWER_TYPES, type AnswerType } from './answer-types.ts'
import { type Fact, getFactWords, type Prompt } from './prompt.ts'
import { findTopicWords, removeIdioms, type Word, WordSet } from './words.ts'

/** A question prepared for the search. */
export interface Question {
  readonly text: string
  readonly language: string
  readonly words: readonly Word[]
  readonly type: AnswerType | null
  /** Whether only facts with an answer of the type are relevant. */
  readonly needsType: boolean
  readonly days: ReadonlySet<number>
}

/** A fact and how well it answers a question. */
export interface Match {
  readonly fact: Fact
  /** Share of the question that the fact covers, from 0 to 1. */
  readonly coverage: number
  readonly rank: number
  /** The words of the question that are in the label or heading. */
  readonly inLabel: readonly Word[]
  /** Whether the fact has every specific word of the question and the requested type of answer. */
  readonly isSure: boolean
  /** Whether the fact covers enough of the question to answer it. */
  readonly isRelevant: boolean
}

/** Minimum coverage of a relevant fact. */
const MIN_COVERAGE = 0.55
/** Two or more specific words allow a lower coverage. */
const MIN_COVERAGE_OF_SEVERAL = 0.45
const STATED_COVERAGE = 0.95
/** A label such as "The lamp does not turn on". */
export const CLAUSE =
  /(?<!\p{L})(?:does|do|did|is|are|can|cannot|will|has|flickers?|fails?|breaks?|geht|findet|flackert|funktioniert|ist|kann|blinkt|leuchtet|\w+ed)(?!\p{L})/iu
const NEGATION = /(?<!\p{L})(?:not|no|never|cannot|nicht|kein\p{L}*)(?!\p{L})|n't/iu
const HOURS = ANSWER_TYPES.find(({ name }) => name === 'hours') ?? null
const MAX_QUESTION_CHARACTERS = 1_500
const MAX_WORDS = 40
const TYPE_WEIGHT = 0.6
const HEADING_SHARE = 0.8
const DOMAIN_WEIGHT = 0.2
const DOMAIN_SHARE = 0.7
const DAY_WORD =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tue|wed|thu|fri|sat|sun|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabend|week-?ends?|wochenend\w*|weekdays?|tonight|evenings?|abends?|morning|nachmittags?|noon|holidays?|feiertag\w*|am|pm|uhr|oclock|\d{1,2}(?::\d\d)?(?:am|pm)?)$/
/** Words before the actual question. */
const OPENING =
  /^(?:(?:hi|hello|hey|hallo|guten \p{L}{2,8}|good \p{L}{2,10}|ok(?:ay)?|and|und|so|well|great|thanks|thank you|danke|also)[\s,.!]{1,3}){1,4}/iu
const INTRODUCTION =
  /(?:my name is|this is|i am|i'm|ich bin|mein name ist|ich heiße) \p{Lu}[\p{L}'-]{0,30}(?: \p{Lu}[\p{L}'-]{0,30}){0,2}[\s,.!]{0,3}(?:(?:and|und)(?!\p{L}))?/u

/** Reads a question in a language. `context` adds topics; the type of answer comes from the question first. */
export function readQuestion(asked: string, language: string, context = ''): Question {
  const normalizedText = normalizeQuestion(`${asked} ${context}`)
  const days = findWeekdays(normalizedText)
  const topics = findTopicWords(normalizedText, language).slice(0, MAX_WORDS)
  const withoutDays = topics.filter(({ text: word }) => !DAY_WORD.test(word))
  const matchingType = findAnswerType(normalizeQuestion(asked)) ?? findAnswerType(normalizedText)
  // "And on Sundays?" asks for the hours.
  const type = matchingType ?? (days.size > 0 && withoutDays.length === 0 ? HOURS : null)
  const used = context !== '' || /hours|time/.test(type?.name ?? '') ? withoutDays : topics
  const words = used.filter(({ text: word }) => type?.words.test(word) !== true)
  const needsType = type !== null && (context !== '' || !type.isTelling)
  return { text: normalizedText, language, words, type, needsType, days }
}

function findAnswerType(plain: string): AnswerType | null {
  return ANSWER_TYPES.find(({ asks }) => asks.test(plain)) ?? null
}

function normalizeQuestion(text: string): string {
  return removeIdioms(text.slice(0, MAX_QUESTION_CHARACTERS).replaceAll('’', "'"))
    .replace(INTRODUCTION, ' ')
    .trim()
    .replace(OPENING, '')
}

type SearchScene = Pick<Prompt, 'facts' | 'language' | 'domain'>

/** Returns the facts that answer a question, from best to worst. */
export function findFacts(question: Question, scene: SearchScene): Match[] {
  if (question.words.length === 0 && question.type?.isTelling !== true) return []
  const matches = scene.facts.flatMap((fact) => matchFact(question, fact, scene) ?? [])
  return matches.sort((left, right) => right.rank - left.rank)
}

function matchFact(question: Question, fact: Fact, scene: SearchScene): Match | null {
  const { words, type, days } = question
  const factWords = getFactWords(fact, scene.language)
  // Everyday words count fully when the question has no others.
  const isDomain = (word: Word): boolean => scene.domain.computeShare(word) > 0.7
  const telling = words.filter((word) => !isDomain(word))
  const isVague = type?.isTelling === true && words.every(({ weight }) => weight < 1)
  const scale = isVague ? 1 : 1 / Math.max(...(telling.length > 0 ? telling : words).map(({ weight }) => weight), 0.1)
  const inLabel: Word[] = []
  const inText: Word[] = []
  let matched = 0
  let total = 0
  let specific = 0
  let missed = 0
  for (const word of words) {
    const isImplied = telling.length > 0 && isDomain(word)
    const weight = isImplied ? DOMAIN_WEIGHT : word.weight * scale
    const label = factWords.label.computeShare(word)
    const text = factWords.text.computeShare(word)
    const share = Math.max(label, text, factWords.heading.computeShare(word) * HEADING_SHARE)
    if (label > 0) inLabel.push(word)
    else if (text > 0) inText.push(word)
    matched += Math.max(share, isImplied ? DOMAIN_SHARE : 0) * weight
    total += weight
    if (share > 0.5 && weight === 1) specific += 1
    // Words with a number must match exactly.
    if (share < (/\p{N}/u.test(word.text) ? 1 : weight === 1 ? 0.5 : 0)) missed += 1
  }
  const text = fact.sentences.join(' ')
  // The answer must be in a sentence about the topic.
  const about = inText.length > 0 && inLabel.length === 0 ? findSentences(inText, fact, scene.language) : text
  const hasType = type?.has(about, `${fact.label} ${fact.heading}`, words.length === 0) === true
  if (type !== null) {
    total += TYPE_WEIGHT
    if (hasType) matched += TYPE_WEIGHT
  }
  if (matched === 0 || (words.length === 0 || isVague ? !hasType : specific === 0)) return null
  const labelWords = factWords.label.words.length
  const labelShare = labelWords === 0 ? 0 : Math.min(1, inLabel.length / labelWords)
  const isTyped =
    hasType && (type?.asks.test(fact.label) === true || (words.length === 0 && type?.asks.test(text) === true))
  const factDays = days.size > 0 ? findWeekdays(text) : days
  const hasDay = [...days].some((day) => factDays.has(day))
  const isStated = isStatedIn(fact.label, factWords.label, question)
  const coverage = isStated ? STATED_COVERAGE : matched / total
  const rank = coverage + labelShare * 0.2 + (isTyped ? 0.15 : 0) + (hasDay ? 0.12 : 0) + (fact.isQuestion ? 0.02 : 0)
  const isSure = missed === 0 && (hasType || (type === null && specific > 0))
  const isRelevant =
    coverage >= (specific > 1 ? MIN_COVERAGE_OF_SEVERAL : MIN_COVERAGE) && (hasType || !question.needsType)
  return { fact, coverage, inLabel, rank, isSure, isRelevant }
}

/** Whether a question states the problem that a label names. */
function isStatedIn(label: string, { words }: WordSet, question: Question): boolean {
  if (words.length < 2 || !CLAUSE.test(label) || (NEGATION.test(label) && !NEGATION.test(question.text))) return false
  const questionWords = new WordSet(question.words)
  return words.every((word) => questionWords.computeShare(word) > 0.7)
}

function findSentences(words: readonly Word[], fact: Fact, language: string): string {
  if (fact.sentences.length < 2) return fact.sentences.join(' ')
  const telling = fact.sentences.filter((sentence) => {
    const set = new WordSet(findTopicWords(sentence, language))
    return words.some((word) => set.computeShare(word) > 0)
  })
  return telling.join(' ')
}
