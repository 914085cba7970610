import { asSentence, joinAsSpoken, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import type { Fact } from './prompt.ts'
import type { Match, Question } from './search.ts'
import { daysIn, topicWords, WordSet } from './words.ts'

const MAX_WHOLE_CHARACTERS = 220
const PRONOUN =
  /^(?:it|they|this|that|these|those|he|she|es|sie|er|dies\w*|das|dabei|dafür|and|und|but|aber|also|otherwise|sonst|however)(?!\p{L})/iu
const NEGATIVE = /(?<!\p{L})(?:closed|not open|geschlossen|fermé\w*|cerrad\w*|zu)(?!\p{L})/iu
/** A value that is a sentence of its own needs no words before it. */
const VERB =
  /(?<!\p{L})(?:is|are|was|can|cannot|may|must|will|has|have|do|does|takes?|costs?|needs?|accepts?|park|parks|works?|offers?|speaks?|arrives?|handles?|refunds?|opens?|closes?|starts?|stands?|comes?|includes?|ist|sind|kann|können|muss|müssen|wird|werden|hat|haben|dauert|kostet|kosten|braucht|brauchen|nehmen|parken|sprechen|kommen|rechnen|erstatten|bringen|liegt|steht|gibt|funktioniert|übernehmen|bieten|machen)(?!\p{L})/iu
const SUBJECT =
  /^(?:we|you|it|they|there|this|please|i|all|every|each|most|no|yes|a|an|the|wir|sie|es|bitte|alle|jede\w*|ja|nein|ein\w*|d(?:er|ie|as)|am|im|bei|mit|for|on|in|with|orders?|visitors?|customers?|patients?|guests?|besucher|bestellungen|kunden|patienten|gäste)(?!\p{L})/iu
const ORDER =
  /^(?:unplug|plug|hold|press|turn|restart|open|close|check|call|visit|write|send|bring|book|ask|keep|use|choose|select|click|go|contact|arrive|ziehen|halten|drücken|schalten|rufen|schreiben|bewahren|bringen|kommen|öffnen|wählen|prüfen)(?!\p{L})/iu
const CLAUSE_LABEL =
  /(?<!\p{L})(?:does|do|did|is|are|can|cannot|will|has|flickers?|fails?|breaks?|geht|findet|flackert|funktioniert|ist|kann|blinkt|leuchtet|\w+ed)(?!\p{L})/iu
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
const GERMAN_NEUTER = /(?:chen|lein|um|ment|zimmer|brot|haar|rad|bad|essen|team|wlan|abo|paket|frühstück)$/i
const GERMAN_MASCULINE =
  /(?:ling|er|ismus|or|schnitt|kurs|service|versand|termin|wechsel|dienst|rabatt|kuchen|kaffee|tee|eintritt|preis)$/i

/** A fact as a sentence that holds what was asked and no more. */
export function phraseFact({ fact, inLabel }: Match, question: Question, language: string): string {
  if (fact.cells.length > 0) return phraseRow(fact, question, language)
  const picked = pickSentences(
    fact,
    question,
    inLabel.map(({ stem }) => stem),
    language,
  )
  const [first = '', ...rest] = picked
  const isWhole = first === fact.sentences[0]
  const opening =
    fact.label === '' || fact.isQuestion || !isWhole ? asSentence(first) : withLabel(fact.label, first, language)
  const text = [opening, ...rest.map(asSentence)].join(' ')
  return question.type?.name === 'hours' ? withYesOrNo(text, fact, picked, question, language) : text
}

/** The sentences of a fact that a question is about; all of a short fact when its label is what was asked. */
function pickSentences(
  { sentences, label }: Fact,
  question: Question,
  labelStems: readonly string[],
  language: string,
): readonly string[] {
  if (sentences.length === 1) return sentences
  const open = question.words.filter(({ stem }) => !labelStems.includes(stem))
  const scores = sentences.map((sentence) => {
    const set = new WordSet(topicWords(sentence, language))
    const words = open.reduce((sum, word) => sum + set.shareOf(word) * word.weight, 0)
    const days = [...question.days].some((day) => daysIn(sentence).has(day)) ? 1 : 0
    return words + (question.type?.has(sentence, label) === true ? 0.5 : 0) + days
  })
  const best = Math.max(...scores)
  const isShort = sentences.join(' ').length <= MAX_WHOLE_CHARACTERS
  if (open.length === 0 && question.days.size === 0 && isShort) return sentences
  if (best <= 0.5 && isShort) return sentences
  const first = scores.indexOf(best)
  const picked = new Set(best === 0 ? [0, 1] : scores.flatMap((score, at) => (score >= best * 0.9 ? [at] : [])))
  if (first > 0 && PRONOUN.test(sentences[first] ?? '')) picked.add(first - 1)
  // Closed days are told with the hours of the others.
  return sentences.filter((_, at) => picked.has(at)).slice(0, 3)
}

function withYesOrNo(
  text: string,
  fact: Fact,
  picked: readonly string[],
  question: Question,
  language: string,
): string {
  const [day] = question.days
  const isYesOrNo = /^(?:are|is|do|will|can|sind|habt|haben|hat|ist|seid|öffnet|und|and)(?!\p{L})/iu.test(question.text)
  if (day === undefined || question.days.size > 2 || !isYesOrNo) return text
  const closing = fact.sentences.filter((sentence) => NEGATIVE.test(sentence))
  const openDays = daysIn(fact.sentences.filter((sentence) => !closing.includes(sentence)).join(' '))
  const closed = closing.some((sentence) => daysIn(sentence).has(day))
  if (openDays.size === 0 && !closed) return text
  const isOpen = !closed && openDays.has(day)
  const asksClosed = NEGATIVE.test(question.text)
  const [yes, no] = language === 'de' ? ['Ja', 'Nein'] : ['Yes', 'No']
  const word = isOpen === asksClosed ? no : yes
  const continued = /^(?:We|Our|The|Wir|Unsere?|Am|Im)\b/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text
  return /^(?:yes|no|ja|nein)\b/i.test(text) ? text : `${word}, ${picked.length > 0 ? continued : text}`
}

/** "The croissant is $3." */
function withLabel(label: string, value: string, language: string): string {
  const isSentence =
    /^(?:please|bitte)\b|, (?:please |bitte )?(?:call|ring|visit|write|press|go|rufen|schreiben) /i.test(value) ||
    (SUBJECT.test(value) && VERB.test(value)) ||
    ORDER.test(value) ||
    (/^\p{Lu}/u.test(value) && VERB.test(value.split(/[,;]/)[0] ?? '') && value.split(' ').length > 3)
  const isClause =
    language === 'de'
      ? /^(?:Der|Die|Das|Ein|Eine|Mein|Meine) /.test(label) && CLAUSE_LABEL.test(label)
      : CLAUSE_LABEL.test(label)
  if (isSentence || isClause) return asSentence(value)
  const plain = trimEndMarks(value, '.')
  return asSentence(
    language === 'de'
      ? germanSentence(label, plain)
      : language === 'en'
        ? englishSentence(label, plain)
        : `${label}: ${plain}`,
  )
}

function englishSentence(label: string, value: string): string {
  const name = lowerLabel(label)
    .replace(/^e-?mail$/, 'email address')
    .replace(/^(?:tele)?phone$/, 'phone number')
  const head = name.split(/ (?:of|for|in|with|per|on) /)[0] ?? name
  const isPlural =
    (/[^su]s$/.test(head) || / and /.test(head) || /\bpeople$/.test(head)) && !/(?:news|bus|gas)$/.test(head)
  const verb = isPlural ? 'are' : 'is'
  if (/^(?:the|our|a|an|my) /i.test(label)) return `${label} ${verb} ${value}`
  if (MONEY_VALUE.test(value) || STATE.test(value)) return `${isPlural ? name : `the ${name}`} ${verb} ${value}`
  if (OURS.test(head) || isPlural) return `our ${name} ${verb} ${value}`
  return `the ${name} ${verb} ${value}`
}

function germanSentence(label: string, value: string): string {
  const isMoney = MONEY_VALUE.test(value)
  const name = label.replace(/^E-?Mail$/i, 'E-Mail-Adresse').replace(/^Telefon$/i, 'Telefonnummer')
  const [head = ''] = name.split(/ (?:von|für|der|des|im|mit|pro) /)
  if (GERMAN_PLURAL.test(head)) {
    if (isMoney) return `${name} kosten ${value}`
    return STATE.test(value)
      ? `${name} sind ${value}`
      : `${/^(?:Neue|Unsere|Die) /.test(name) ? name : `unsere ${name}`} sind ${value}`
  }
  const article = GERMAN_FEMININE.test(head)
    ? 'die'
    : GERMAN_NEUTER.test(head)
      ? 'das'
      : GERMAN_MASCULINE.test(head)
        ? 'der'
        : ''
  if (article === '' || / /.test(head)) return isMoney ? `${name} kostet ${value}` : `${name}: ${value}`
  const ours = article === 'die' ? 'unsere' : 'unser'
  if (isMoney) return `${article} ${name} kostet ${value}`
  return /adresse|nummer|website|team/i.test(head) ? `${ours} ${name} ist ${value}` : `${article} ${name} ist ${value}`
}

/** "Opening hours" within a sentence; names and abbreviations keep their capitals. */
export function lowerLabel(label: string): string {
  return /^\p{Lu}[\p{Ll}'-]*(?:\s+[\p{Ll}\d$€&+%(),/'-]|$)/u.test(label)
    ? label.charAt(0).toLowerCase() + label.slice(1)
    : label
}

function phraseRow({ label, cells }: Fact, question: Question, language: string): string {
  const scored = cells.map(([header, value]) => {
    const set = new WordSet(topicWords(`${header} ${value}`, language))
    const words = question.words.reduce((sum, word) => sum + set.shareOf(word), 0)
    return words + (question.type?.has(`${header} ${value}`, header) === true ? 0.4 : 0)
  })
  const best = Math.max(...scored)
  const chosen = cells.filter((_, at) => best === 0 || (scored[at] ?? 0) >= best - 0.05).slice(0, 4)
  return asSentence(
    `${label}: ${joinAsSpoken(
      chosen.map(([header, value]) => `${header} ${value}`.trim()),
      language === 'de' ? 'und' : 'and',
    )}`,
  )
}
