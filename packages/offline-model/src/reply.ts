import { scoreSentiment } from '@parley/engine/dialogue/analysis/detect-sentiment'
import { fillFields } from '@parley/engine/dialogue/rules/fill-fields'
import { detectIntents, detectPolarity, isQuestion, stripGreeting } from '@parley/engine/dialogue/rules/intents'
import { joinList, splitSentences } from '@parley/engine/dialogue/rules/sentences'
import { formatQuestion } from './acts.ts'
import type { Conversation } from './conversation.ts'
import { greet, introduce, listOffer, listSkills, type Offer, readIntroduction, readOffer } from './persona.ts'
import { phraseFact } from './phrase-fact.ts'
import { getPhrases, isSupported, joinText } from './phrases.ts'
import { type Prompt, readPassage } from './prompt.ts'
import { describeResult, isFailedResult, isQuietResult } from './results.ts'
import { findFacts, type Match, readQuestion } from './search.ts'
import {
  CONTACT,
  findCause,
  findClosing,
  getProgress,
  isTaskRequest,
  NOT_SOLVED,
  type Progress,
  performStep,
  REQUEST,
  readTask,
  resumeTask,
  type StepReply,
  type TaskScene,
} from './task.ts'
import { findTopics, findTopicWords, languageOf, WordSet } from './words.ts'

/** An answer from facts and the share of the question that it covers. */
export interface Answer {
  readonly text: string
  readonly coverage: number
}

/** Everything that a reply depends on. */
export interface ReplyScene extends TaskScene {
  readonly introduction: string
  readonly offer: Offer
  readonly step: StepReply
  readonly answer: Answer | null
  /** The task of the prompt and its progress; `null` without a task. */
  readonly progress: Progress | null
}

/** Statements of a need are answered like questions. */
const NEEDS =
  /(?<!\p{L})(?:needs?|want|looking for|have an?|help|can't|cannot|doesn't|won't|brauche|suche|möchte|habe|hilfe|kann|nicht)(?!\p{L})/iu
const REQUEST_FORM = /^(?:\p{L}+[,!.] )?(?:can|could|may|please|kann|könnte|könnten|bitte)(?!\p{L})/iu
const ASKS_NATURE = /\b(?:bot|robot|human|ai|machine|computer|real|roboter|mensch|maschine|ki|echt)\b/i
const BYE = /\b(?:bye|goodbye|tschüss|wiedersehen|wiederhören)\b/i
const MAX_PARTS = 3
const MAX_TIED = 3
const MIN_NEAR_COVERAGE = 0.5
const NO_DOMAIN = new WordSet([])

export function readScene(conversation: Conversation, prompt: Prompt): ReplyScene {
  const scene: TaskScene = { conversation, prompt, language: chooseReplyLanguage(conversation, prompt) }
  const introduction = readIntroduction(prompt)
  const step = performStep(prompt.step, scene, introduction)
  const task = step.text === '' && !step.isComplete ? readTask(prompt) : null
  const progress = task === null ? null : getProgress(task, scene, false)
  return { ...scene, introduction, step, progress, offer: readOffer(prompt), answer: findAnswer(conversation, prompt) }
}

/** Returns the language of the caller or else of the prompt, or English if the model does not support it. */
function chooseReplyLanguage({ exchanges, said }: Conversation, prompt: Prompt): string {
  const isOther = (words: string): boolean => /\p{L}/u.test(words) && !/\p{Script=Latin}/u.test(words)
  const recent = exchanges.slice(-6).reverse()
  const heard = recent.map(({ user: words }) => (isOther(words) ? 'en' : languageOf(words)))
  const spoken = heard.find((language) => language !== null) ?? languageOf(said.at(-1) ?? '') ?? prompt.language
  return isSupported(spoken) ? spoken : 'en'
}

/** Splits a message into its questions. Returns the whole message if it has none. */
function splitQuestions(text: string): readonly string[] {
  const parts = text
    .slice(0, 2_000)
    .split(
      /(?<=[?？!])\s+|(?<=[^\d][.])\s+(?=\p{Lu})|\n|(?:,|,?\s(?:and|und))\s(?=(?:where|when|how|what|do|does|is|are|can|wo|wann|wie|was|haben|gibt|kann)(?!\p{L}))/u,
    )
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const asking = parts.filter((part) => isQuestion(part))
  return (asking.length > 0 ? asking : [text]).slice(0, MAX_PARTS)
}

/** Answers the last message from the prompt and documents. Returns `null` if they do not answer it. */
function findAnswer({ current, exchanges, passages }: Conversation, prompt: Prompt): Answer | null {
  const said = stripGreeting(current?.user ?? '')
  if (current === null || said === '') return null
  const previous = exchanges.at(-2)?.user ?? ''
  const answers = splitQuestions(said).flatMap((part) => {
    const goesOn = part.length <= 120 && (GOES_ON.test(part) || findTopicWords(part, prompt.language).length === 0)
    // The topic of a short question may be elsewhere in the message or in the one before.
    for (const context of new Set(['', ...(goesOn ? [said.replace(part, ''), previous] : [])])) {
      const answer = answerBest(part, context, passages, prompt)
      if (answer !== null) return [answer]
    }
    return []
  })
  if (answers.length === 0) return null
  const texts = [...new Set(answers.map(({ text }) => text))]
  return { text: texts.join(' '), coverage: Math.max(...answers.map(({ coverage }) => coverage)) }
}

const GOES_ON =
  /^(?:and|und|what about|how about|wie sieht es|y|et|ok(?:ay)?,? and|also|was ist mit|aber)(?!\p{L})|\b(?:it|that|there|one|they|something)\b|(?<!\p{L})(?:das|es|dort|davon|so etwas|sowas)(?!\p{L})/iu

function answerBest(part: string, context: string, passages: Conversation['passages'], prompt: Prompt): Answer | null {
  const match = answerFromPrompt(part, prompt, context)
  const documented = passages === null ? null : answerFromPassages(`${part} ${context}`, passages)
  return documented !== null && documented.coverage > (match?.coverage ?? 0) ? documented : match
}

function answerFromPrompt(text: string, { facts, language, domain }: Prompt, context = ''): Answer | null {
  const questionLanguage = languageOf(`${text} ${context}`) ?? language
  const isForeign = questionLanguage !== language && isSupported(questionLanguage)
  const question = readQuestion(text, isForeign ? questionLanguage : language, context)
  const matches = findFacts(question, { facts, language, domain }).filter(({ isRelevant }) => isRelevant)
  const [best] = matches
  if (best === undefined || !(isQuestion(text) || NEEDS.test(text) || best.coverage > 0.9 || best.inLabel.length >= 2))
    return null
  const tiedMatches = findTiedMatches(best, matches)
  return { text: tiedMatches.map((match) => phraseFact(match, question, language)).join(' '), coverage: best.coverage }
}

/** Returns the facts that answer as well as the best one: "a service" can be the basic or the full service. */
function findTiedMatches(best: Match, matches: readonly Match[]): readonly Match[] {
  const { label, isQuestion: isPair } = best.fact
  const tied = matches.filter(
    ({ fact, rank }) => rank > best.rank - 0.01 && fact.isQuestion === isPair && fact.label !== '',
  )
  return label === '' ? [best] : tied.slice(0, MAX_TIED)
}

function answerFromPassages(text: string, passages: NonNullable<Conversation['passages']>): Answer | null {
  const matches = passages.flatMap((passage) => {
    const facts = readPassage(passage)
    const language = languageOf(passage.text) ?? 'en'
    const question = readQuestion(text, language)
    const [match] = findFacts(question, { facts, language, domain: NO_DOMAIN })
    return match === undefined ? [] : [{ match, question, language, source: passage.sourceName }]
  })
  const best = matches.sort(
    (left, right) => Number(right.match.isSure) - Number(left.match.isSure) || right.match.rank - left.match.rank,
  )[0]
  if (best === undefined || best.match.coverage < MIN_NEAR_COVERAGE) return null
  const fact = `${phraseFact(best.match, best.question, best.language)} (${best.source})`
  return best.match.isSure
    ? { text: fact, coverage: best.match.coverage }
    : { text: getPhrases(isSupported(best.language) ? best.language : 'en').nearest(fact), coverage: MIN_NEAR_COVERAGE }
}

/** Whether the user says goodbye or declines "anything else?". */
export function isLeaving({ conversation: { current }, step }: ReplyScene): boolean {
  if (current === null) return false
  const { agent: asked, user: said } = current
  if (detectIntents(said).has('goodbye')) return step.text === '' || BYE.test(said)
  const asksMore = /\b(?:anything|something) else\b[^?]{0,40}\?$|sonst noch[^?]{0,40}\?$/i.test(asked.slice(-120))
  const declines = detectPolarity(said) === 'no' || /^(?:thanks|thank you|danke)/i.test(said.trim())
  return asksMore && declines && said.split(/\s+/).length <= 8 && !isQuestion(said)
}

export function formatFarewell({ language, step }: ReplyScene): string {
  return step.isFarewell ? step.text : getPhrases(language).goodbye
}

/** Composes the reply. Order: tool results, small talk, the current task, facts, the step, an apology. */
export function replyInWords(scene: ReplyScene, offered: readonly string[]): string {
  const { conversation, step, language, introduction, prompt, answer } = scene
  const results = formatResults(scene, offered)
  if (results !== '') return results
  if (prompt.textToSay !== '') {
    const question = splitSentences(prompt.textToSay).at(-1) ?? ''
    const isRepeated = conversation.said.includes(prompt.textToSay) && question.endsWith('?')
    return joinText(answer?.text ?? '', isRepeated ? question : prompt.textToSay)
  }
  if (conversation.current === null) {
    if (conversation.isReminder) return getPhrases(language).stillThere
    if (step.text !== '') return step.text
    return conversation.said.length === 0 ? greet(introduction, language, true) : getPhrases(language).anythingElse
  }
  if (step.isFarewell || isLeaving(scene)) return formatFarewell(scene)
  return replyToSmallTalk(scene, conversation.current.user) ?? replyToMessage(scene, conversation.current.user)
}

function formatResults({ conversation, step, language }: ReplyScene, offered: readonly string[]): string {
  const { hasFreshResults, calls, callsBefore } = conversation
  if (!hasFreshResults) return ''
  const fresh = calls
    .slice(callsBefore)
    .filter(({ name, result }) => result !== null && !isQuietResult(name, result))
    .slice(-4)
  if (step.text !== '' && !fresh.some(({ name }) => offered.includes(name))) return ''
  const worked = fresh.filter(({ result }) => !isFailedResult(result ?? ''))
  const descriptions = (worked.length > 0 ? worked : fresh).map(({ result }) => describeResult(result ?? '', language))
  return [...new Set(descriptions)].join(' ')
}

/** Replies to small talk. Returns `null` for a message with a topic. */
function replyToSmallTalk(scene: ReplyScene, message: string): string | null {
  const { conversation, language, introduction, prompt, offer, step, answer, progress } = scene
  const phrases = getPhrases(language)
  const intents = detectIntents(message)
  const remainingText = stripGreeting(message)
  const words = findTopicWords(remainingText.slice(0, 300), language).length
  const isInTask = step.question !== '' || progress?.isActive === true
  const isFirst = conversation.said.length === 0
  const withStep = (text: string, otherwise = ''): string => joinText(text, step.question || otherwise)
  if (intents.has('reveal')) return phrases.noInstructions
  if (intents.has('identity'))
    return withStep(introduce(introduction, language, ASKS_NATURE.test(message)), phrases.howCanIHelp)
  if (intents.has('abilities') && (answer?.coverage ?? 0) < 0.95) return withStep(listSkills(prompt, offer, language))
  if (intents.has('how-are-you') && words <= 2 && answer === null)
    return withStep(phrases.wellThanks, phrases.howCanIHelp)
  if (intents.has('cancel') && !isInTask && answer === null) return joinText(phrases.cancelled, phrases.anythingElse)
  if (intents.has('thanks') && !isInTask && !isQuestion(message) && !REQUEST.test(message))
    return joinText(words > 0 ? phrases.gladToHear : phrases.welcome, phrases.anythingElse)
  if (remainingText !== '') return null
  if (step.text === '' && !isInTask) return greet(introduction, language, isFirst)
  return isFirst && !step.text.startsWith(phrases.hello) ? joinText(phrases.hello, step.text) : null
}

function replyToMessage(scene: ReplyScene, message: string): string {
  const { language, answer, step, offer, conversation, progress } = scene
  const phrases = getPhrases(language)
  const asks = isQuestion(message)
  const isAbout = findTopicWords(message.slice(0, 300), language).length
  if (progress?.isActive === true) return replyInTask(scene, progress, message)
  const isNew = answer !== null && !conversation.said.some((text) => text.includes(answer.text))
  const states = !asks && !REQUEST.test(message) && (answer?.coverage ?? 0) > 0.9
  const isInformed = isNew && (asks || states) && !REQUEST_FORM.test(message)
  if (progress !== null && !isInformed && isTaskRequest(scene, offer)) {
    const reason = detectIntents(message).has('person')
      ? phrases.noPerson
      : NOT_SOLVED.test(message)
        ? phrases.sorry
        : ''
    const prefix = asks ? (answer?.text ?? findClosing(progress.task, language)) : ''
    return joinText(prefix || reason, startTask(scene, progress))
  }
  if (detectIntents(message).has('person')) return replyToPerson(scene)
  const { agent: asked = '' } = conversation.current ?? {}
  const isAnswering = !asks && step.text !== '' && asked.endsWith('?')
  if (answer !== null && !isAnswering) return joinText(answer.text, answer.text.endsWith('?') ? '' : step.question)
  if (step.text !== '') {
    if (asks && step.question !== '' && isAbout > 1) return joinText(phrases.unknown, step.question)
    const repeats = step.question !== '' && asked.endsWith(step.question) && !detectIntents(message).has('greeting')
    return joinText(repeats ? phrases.unclear : '', step.text)
  }
  if (conversation.hasFreshResults || (step.isComplete && !asks)) return phrases.noted
  const goesOn = !asks && /\b(?:go on|continue|proceed)\b|weitermachen/i.test(message)
  const polarity = goesOn ? 'yes' : asks || isAbout > 2 ? null : detectPolarity(message)
  if (polarity !== null)
    return polarity === 'yes' ? phrases.howCanIHelp : joinText(phrases.allRight, phrases.anythingElse)
  const isContact = !asks && fillFields(CONTACT, [{ agent: '', user: message }], { today: null }).values.size > 0
  return isContact ? joinText(phrases.thankYou, phrases.howCanIHelp) : apologize(scene, message, asks || isAbout > 0)
}

const startTask = (scene: ReplyScene, progress: Progress): string => resumeTask({ ...progress, isActive: false }, scene)

function replyInTask(scene: ReplyScene, progress: Progress, message: string): string {
  const { language, answer } = scene
  const phrases = getPhrases(language)
  if (detectIntents(message).has('cancel')) return joinText(phrases.cancelled, phrases.anythingElse)
  const next = resumeTask(progress, scene)
  const isUnclear = next.startsWith(phrases.unclear)
  const question = splitSentences(next).at(-1) ?? next
  if (isUnclear && detectIntents(message).has('person')) return joinText(phrases.noPerson, question)
  const asks = isUnclear ? isQuestion(message) || (answer?.coverage ?? 0) > 0.9 : /[?？]/.test(message)
  if (!asks) return next
  return joinText(answer?.text ?? (isTaskRequest(scene, scene.offer) ? '' : phrases.unknown), question)
}

function replyToPerson(scene: ReplyScene): string {
  const { language, offer, prompt, progress } = scene
  const { noPerson } = getPhrases(language)
  if (progress !== null && offer.type !== 'none') return joinText(noPerson, startTask(scene, progress))
  return joinText(noPerson, answerFromPrompt('phone number?', prompt)?.text ?? '', listOffer(offer, language))
}

/** Apologizes for a missing answer and offers what the prompt says to offer. */
function apologize({ conversation, offer, language, prompt }: ReplyScene, message: string, isClear: boolean): string {
  const phrases = getPhrases(language)
  const offered = listOffer(offer, language)
  const { passages, current } = conversation
  if (passages !== null) {
    const names = joinList([...new Set(passages.map(({ sourceName }) => sourceName))].slice(0, 3), phrases.and)
    return joinText(phrases.notInDocuments, names === '' ? '' : phrases.documentsAbout(names), offered)
  }
  const isOpen = offered !== '' && current?.agent.endsWith(offered) !== true
  const help = language === prompt.language ? listSkills(prompt, { type: 'none', who: '' }, language) : ''
  const isProblem = scoreSentiment(message) <= -1
  const problem = isProblem ? phrases.sorry : isClear ? phrases.unknown : phrases.unclear
  const cause = isProblem && findTopics(message).length <= 2 ? findCause(prompt) : undefined
  if (cause !== undefined) return joinText(problem, formatQuestion(cause, language, language === prompt.language))
  return joinText(problem, isOpen ? offered : help)
}
