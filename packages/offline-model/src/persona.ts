import { joinList, trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import { lowercaseLabel } from './phrase-fact.ts'
import { getPhrases, joinText } from './phrases.ts'
import type { Prompt } from './prompt.ts'
import { CLAUSE } from './search.ts'

const ENGLISH_ROLE = /^(?:you(?:'re| are)|your name is) (.{2,200})$/i
/** Excludes manners: "You are friendly and brief". */
const SOMEBODY = /^(?:an? |the |ein|der |die |das |dem |\p{Lu})/u
/** Excludes manners: "You answer briefly". */
const ENGLISH_JOB =
  /^you ((?:work|answer|take|book|help|handle|support|represent|sell|serve|assist|manage)\b(?! (?:briefly|questions only|only|politely|the language)).{0,200})$/i
const GERMAN_ROLE = /^(?:du bist|sie sind) (.{2,200})$/i
const GERMAN_JOB = /^du (\p{L}+)st ((?!nicht|den kalender).{2,200})$/iu
const MANNERS =
  /(?<!\p{L})(?:(?:very|always) )?(?:friendly|helpful|polite|patient|cheerful|professional|kind|warm|calm|concise|brief|freundliche[rns]?|hilfsbereite[rns]?|höfliche[rns]?|geduldige[rns]?)(?!\p{L})(?:,? (?:and |und )?)/giu

/** Returns the agent's introduction, such as "I'm the receptionist of Harbor Law.", or '' if there is none. */
export function readIntroduction({ instructions }: Prompt): string {
  const sentences = instructions.slice(0, 40).map((one) => trimEndMarks(one.slice(0, 400).replaceAll('’', "'"), '.!'))
  return sentences.map(findIntroduction).find((introduction) => introduction !== '') ?? ''
}

function findIntroduction(sentence: string): string {
  const role = ENGLISH_ROLE.exec(sentence)?.[1] ?? ''
  if (SOMEBODY.test(role)) return `I'm ${fixArticle(removeManners(role))}.`
  const job = ENGLISH_JOB.exec(sentence)?.[1]
  if (job !== undefined) return `I ${removeManners(job).replace(/ their /g, ' your ')}.`
  const german = GERMAN_ROLE.exec(sentence)?.[1] ?? ''
  if (SOMEBODY.test(german)) return `Ich bin ${removeManners(german)}.`
  const [, stem = '', rest = ''] = GERMAN_JOB.exec(sentence) ?? []
  return stem === '' || stem === 'bi' ? '' : `Ich ${stem}e ${removeManners(rest)}.`
}

const EXPLANATION =
  /, (?:an?|the|one of|eine?[rsnm]?|der|die|das|who|which|that|and) | and you | who | that | und du | und fass/i

/** Removes manners and explanations: "…, a small law firm", "… and you never sleep". */
function removeManners(text: string): string {
  const remainingText = text.replace(MANNERS, '')
  // The explanation after a name stays: "Robin, the assistant of …".
  const start = /^\p{Lu}[\p{L}'-]*, /u.exec(remainingText)?.[0] ?? ''
  return start + (remainingText.slice(start.length).split(EXPLANATION)[0] ?? '')
}

const fixArticle = (text: string): string => text.replace(/^an? /i, /^an? [aeiou]/i.test(text) ? 'an ' : 'a ')

const GENERAL_HEADING = /^(?:.*facts|.*fakten|faq|frequently asked questions|.*fragen)?$/i

/** Returns topics that the agent can answer questions about. */
function findTopics({ facts }: Prompt): readonly string[] {
  const headings = new Set(facts.map(({ heading }) => heading).filter((heading) => !GENERAL_HEADING.test(heading)))
  const isTopic = (label: string): boolean => label !== '' && label.split(' ').length <= 4 && !CLAUSE.test(label)
  const labels = facts.flatMap(({ label, isQuestion }) => (!isQuestion && isTopic(label) ? [label] : []))
  return [...(headings.size >= 3 ? headings : new Set(labels))].slice(0, 5)
}

/** What the agent offers when it has no answer. */
export interface Offer {
  readonly type: 'none' | 'message' | 'callback' | 'details'
  /** Who calls back. */
  readonly who: string
}

/** An instruction to take a message. */
export const MESSAGE =
  /\b(?:take|leave|taking) (?:a|the|down a) (?:short )?message|nachricht (?:auf\w*|hinterlass\w*|aufzunehmen)/i
const CALL_BACK =
  /\b((?:an?|the|our|one of our) [\p{L} -]{2,30}?) (?:will |can )?calls? (?:(?:them|you|him|her|the (?:caller|customer|user)) )?back\b/iu
const GERMAN_CALL_BACK = /zurückruf|rückruf/i
/** An instruction to ask for contact details. */
export const DETAILS = /\b(?:ask for|frage? nach)\b.{0,60}(?:e-?mail|phone|telefon)/i

const UNANSWERED = /\b(?:offer|know|unsure|cannot answer|not solved)\b|weißt|biete|nicht gelöst/i

/** Reads what the prompt tells the agent to offer if it has no answer. */
export function readOffer({ instructions }: Prompt): Offer {
  const text = instructions.map((one) => one.slice(0, 400))
  const offers = [MESSAGE, CALL_BACK, GERMAN_CALL_BACK, DETAILS]
  const isOffered = text.find((one) => UNANSWERED.test(one) && offers.some((offer) => offer.test(one)))
  const sentence = isOffered ?? text.find((one) => MESSAGE.test(one)) ?? ''
  const who = CALL_BACK.exec(sentence)?.[1]?.toLowerCase() ?? ''
  if (who !== '') return { type: 'callback', who }
  const type = MESSAGE.test(sentence) ? 'message' : GERMAN_CALL_BACK.test(sentence) ? 'callback' : 'details'
  return { type: sentence === '' ? 'none' : type, who }
}

/** Formats the offer, or returns '' if there is nothing to offer. */
export function listOffer({ type, who }: Offer, language: string): string {
  const { offerCallback, offerMessage, offerDetails } = getPhrases(language)
  return { none: '', callback: offerCallback(who), message: offerMessage, details: offerDetails }[type]
}

/** Lists what the agent can help with. */
export function listSkills(prompt: Prompt, offer: Offer, language: string): string {
  const phrases = getPhrases(language)
  const topics = findTopics(prompt).map((topic) => (language === 'de' ? topic : lowercaseLabel(topic)))
  const help = topics.length === 0 ? phrases.howCanIHelp : phrases.canHelpWith(joinList(topics, phrases.and))
  return joinText(help, offer.type === 'message' ? phrases.canTakeMessage : '')
}

const isInLanguage = (introduction: string, language: string): boolean =>
  introduction.startsWith('Ich') === (language === 'de')

/** Formats a greeting for an agent whose prompt has none. */
export function greet(introduction: string, language: string, isFirst: boolean): string {
  const { hello, howCanIHelp } = getPhrases(language)
  const isName = /^(?:I'm|Ich bin) /.test(introduction) && isInLanguage(introduction, language)
  return joinText(hello, isFirst && isName ? introduction : '', howCanIHelp)
}

/** Formats the agent's introduction. `asksNature`: whether the user asked if the agent is a person. */
export function introduce(introduction: string, language: string, asksNature: boolean): string {
  const ownIntroduction = isInLanguage(introduction, language) ? introduction : ''
  return joinText(asksNature || ownIntroduction === '' ? getPhrases(language).automated : '', ownIntroduction)
}
