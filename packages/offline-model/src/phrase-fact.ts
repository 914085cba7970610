import { findWeekdays } from '@parley/engine/dialogue/rules/calendar'
import { joinList, toSentence, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import type { Fact } from './prompt.ts'
import { CLAUSE, type Match, type Question } from './search.ts'
import { findTopicWords, WordSet } from './words.ts'

const MAX_WHOLE_CHARACTERS = 220
const PRONOUN =
  /^(?:it|they|this|that|these|those|he|she|es|sie|er|dies\w*|das|dabei|dafür|and|und|but|aber|also|otherwise|sonst|however)(?!\p{L})/iu
const NEGATIVE = /(?<!\p{L})(?:closed|not open|geschlossen|fermé\w*|cerrad\w*|zu)(?!\p{L})/iu
/** A value with a verb is a sentence, so its label is left out. */
const VERB =
  /(?<!\p{L})(?:is|are|was|can|cannot|may|must|will|has|have|do|does|takes?|costs?|needs?|accepts?|park|parks|works?|offers?|speaks?|arrives?|handles?|refunds?|opens?|closes?|starts?|stands?|comes?|includes?|ist|sind|kann|können|muss|müssen|wird|werden|hat|haben|dauert|kostet|kosten|braucht|brauchen|nehmen|parken|sprechen|kommen|rechnen|erstatten|bringen|liegt|steht|gibt|funktioniert|übernehmen|bieten|machen)(?!\p{L})/iu
const IMPERATIVE =
  /(?:^|, )(?:please|bitte|unplug|plug|hold|press|turn|restart|open|close|check|call|visit|write|send|bring|book|ask|keep|use|choose|select|click|go|contact|arrive|ziehen|halten|drücken|schalten|rufen|schreiben|bewahren|bringen|kommen|öffnen|wählen|prüfen)(?!\p{L})/iu
const MONEY_VALUE =
  /^(?:from |about |only |ab |nur )?(?:[$€£]\s?\d|\d[\d.,]*\s?(?:[$€£]|euro?s?\b|dollars?\b|chf\b|cents?\b|francs?\b|franken\b))/i
const STATE =
  /^(?:usually|mostly|always|only|available|free|included|possible|not|by|at|in|on|from|within|up to|meist|immer|nur|verfügbar|kostenlos|möglich|inklusive|innerhalb|bis|ab)(?!\p{L})/iu
const OURS =
  /(?<!\p{L})(?:hours|address|phone(?: number)?|telephone(?: number)?|number|e-?mail(?: address)?|website|languages?|prices?|team|dentists?|doctors?|lawyers?|areas?|services?|location|manager|owner|times|days)(?!\p{L})/iu
const GERMAN_PLURAL =
  /(?:zeiten|sprachen|termine|preise|gebiete|ärzte|ärztinnen|leistungen|unterlagen|plätze|arten|kosten|angebote|räume|kurse|patienten|notfälle|standorte|schwerpunkte|tage|bremsbeläge|brötchen)$/i
const GERMAN_FEMININE =
  /(?:ung|heit|keit|schaft|ion|tät|ik|ei|adresse|nummer|mail|website|garantie|miete|pflege|torte|karte|kontrolle|lampe|reise|massage|wäsche|woche|stunde|pauschale|gebühr)$/i

const GERMAN_SUBJECT = /^(?:Der|Die|Das|Ein|Eine|Mein|Meine) /
const IS_YES_OR_NO = /^(?:are|is|do|will|would|can|sind|habt|haben|hat|ist|seid|öffnet|und|and)(?!\p{L})/iu

/** Formats the part of a fact that answers the question as a sentence. */
export function phraseFact({ fact, inLabel }: Match, question: Question, language: string): string {
  const remainingWords = question.words.filter((word) => !inLabel.includes(word))
  const picked = pickSentences(fact, { ...question, words: remainingWords }, language)
  if (fact.isRow) return toSentence(`${fact.label}: ${joinList(picked, language === 'de' ? 'und' : 'and')}`)
  const [first = '', ...rest] = picked
  const isOwn = fact.label === '' || fact.isQuestion || first !== fact.sentences[0]
  const text = [isOwn ? toSentence(first) : addLabel(fact.label, first, language), ...rest.map(toSentence)].join(' ')
  const answer = question.type?.name === 'hours' ? answerYesOrNo(fact, question) : null
  if (answer === null || /^(?:yes|no|ja|nein)\b/i.test(text)) return text
  const [yes, no] = language === 'de' ? ['Ja', 'Nein'] : ['Yes', 'No']
  const isCommon = /^(?:We|Our|The|On|Wir|Unsere?|Am|Im|An)\b/.test(text)
  return `${answer ? yes : no}, ${isCommon ? text.charAt(0).toLowerCase() + text.slice(1) : text}`
}

/** Returns the sentences that answer a question, or all of a short fact if its label already answers it. */
function pickSentences(
  { sentences, label }: Fact,
  { words, days, type }: Question,
  language: string,
): readonly string[] {
  const scores = sentences.map((sentence) => {
    const set = new WordSet(findTopicWords(sentence, language))
    const matchingWeight = words.reduce((sum, word) => sum + set.computeShare(word) * word.weight, 0)
    return matchingWeight + (type?.has(sentence, label) === true ? 0.5 : 0) + (isOnDay(sentence, days) ? 1 : 0)
  })
  const bestScore = Math.max(...scores)
  const isShort = sentences.join(' ').length <= MAX_WHOLE_CHARACTERS
  if (isShort && (bestScore <= 0.5 || (words.length === 0 && days.size === 0))) return sentences
  const picked = new Set(scores.flatMap((score, at) => (score >= bestScore * 0.9 ? [at] : [])))
  const first = scores.indexOf(bestScore)
  if (first > 0 && PRONOUN.test(sentences[first] ?? '')) picked.add(first - 1)
  return sentences.filter((_, at) => picked.has(at)).slice(0, 3)
}

function isOnDay(text: string, days: ReadonlySet<number>): boolean {
  const named = days.size === 0 ? days : findWeekdays(text)
  return [...days].some((day) => named.has(day))
}

/** Answers a question such as "Are you open on Sunday?". Returns `null` if the fact or question names no day. */
function answerYesOrNo({ sentences }: Fact, { text, days }: Question): boolean | null {
  if (days.size === 0 || days.size > 2 || /\d/.test(text) || !IS_YES_OR_NO.test(text)) return null
  const isClosed = isOnDay(sentences.filter((sentence) => NEGATIVE.test(sentence)).join(' '), days)
  const opening = sentences.filter((sentence) => !NEGATIVE.test(sentence)).join(' ')
  if (!isClosed && findWeekdays(opening).size === 0) return null
  return (!isClosed && isOnDay(opening, days)) !== NEGATIVE.test(text)
}

/** Formats a label and its value as a sentence, such as "The croissant is $3." */
function addLabel(label: string, value: string, language: string): string {
  const isStatement = (VERB.test(value) || IMPERATIVE.test(value)) && !MONEY_VALUE.test(value)
  const isClause = CLAUSE.test(label) && (language !== 'de' || GERMAN_SUBJECT.test(label))
  if (isStatement || isClause) return toSentence(value)
  const trimmedValue = trimEndMarks(value, '.')
  if (language === 'de') return toSentence(formatGermanSentence(label, trimmedValue))
  return toSentence(language === 'en' ? formatEnglishSentence(label, trimmedValue) : `${label}: ${trimmedValue}`)
}

function formatEnglishSentence(label: string, value: string): string {
  const name = lowercaseLabel(label)
  const [head = name] = name.split(/ (?:of|for|in|with|per|on) /)
  const isPlural = /[^su]s$| and |\bpeople$/.test(head) && !/(?:news|bus|gas)$/.test(head)
  const verb = isPlural ? 'are' : 'is'
  const isState = MONEY_VALUE.test(value) || STATE.test(value)
  if (isState && isPlural) return `${name} ${verb} ${value}`
  return `${!isState && (isPlural || OURS.test(head)) ? 'our' : 'the'} ${name} ${verb} ${value}`
}

function formatGermanSentence(name: string, value: string): string {
  const isMoney = MONEY_VALUE.test(value)
  if (GERMAN_PLURAL.test(name))
    return `${isMoney || STATE.test(value) ? name : `unsere ${name}`} ${isMoney ? 'kosten' : 'sind'} ${value}`
  const isFeminine = GERMAN_FEMININE.test(name) && !name.includes(' ')
  if (isMoney) return `${isFeminine ? 'die ' : ''}${name} kostet ${value}`
  return isFeminine ? `unsere ${name} ist ${value}` : `${name}: ${value}`
}

/** Lowercases a label for the middle of a sentence. Names and abbreviations keep their capitals. */
export function lowercaseLabel(label: string): string {
  const isCommon = /^\p{Lu}[\p{Ll}'-]*(?:\s+[\p{Ll}\d$€&+%(),/'-]|$)/u.test(label)
  return isCommon ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
