import { scoreSentiment } from '@parley/engine/dialogue/analysis/detect-sentiment'
import { createField, type Field, isObject } from '@parley/engine/dialogue/rules/fields'
import { fillFields } from '@parley/engine/dialogue/rules/fill-fields'
import { detectIntents, detectPolarity, isQuestion } from '@parley/engine/dialogue/rules/intents'
import { trimEndMarks } from '@parley/engine/dialogue/rules/sentences'
import type { JsonObject, ModelTool } from '@parley/engine/ports'
import type { Conversation } from './conversation.ts'
import { isFailedResult } from './results.ts'
import { findTopics, WordSet } from './words.ts'

/** The state that conditions are compared with. */
export interface EdgeScene {
  /** Whether the last message names a choice that a later node collects. It counts as a request. */
  readonly namesChoice?: boolean
  /** The values that the current step asks for. */
  readonly stepFields?: readonly Field[]
  readonly conversation: Conversation
  readonly today: string | null
  /** Events at the step other than messages, or an empty string. */
  readonly note: string
}

/** Conditions with a lower fit are ignored. */
export const MIN_FIT = 0.5

const SUBJECT =
  /^(?:(?:when|if|that|only when|goes on when) )?(?:the |a )?(?:user|caller|customer|client|guest|patient|person|they|he|she|(?:der|die) (?:anrufer|kunde|nutzer)(?:in)?)(?!\p{L})(?: who)?\s?/iu
const GIVEN =
  /^(?:has |have |hat )?(?:now )?(?:told|given|named|said|provided|stated|mentioned|left|specified|gives|tells|names|says|states|provides|genannt|gesagt)(?: (?:us|you|me))?(?! (?:yes|no|goodbye|that|bye))\s(.{2,200})$|^(.{2,200}?) (?:is|are|has been|have been|ist|sind) (?:now )?(?:known|named|given|complete|told|provided|clear|set|collected|bekannt|vollständig|genannt)$/iu
const AGREES =
  /^(?:agrees?|accepts?|confirms?|consents?|approves?|says? (?:yes|that (?:everything|it|all|this|that) is (?:right|correct|fine))|is (?:happy|satisfied|fine)|stimmt zu|ist einverstanden)(?!\p{L})|\b(?:is|are) (?:right|correct)$/iu
const DECLINES =
  /^(?:declines?|refuses?|rejects?|disagrees?|says? no|does(?: not|n't) (?:agree|accept|consent|confirm)|lehnt ab)(?!\p{L})|\b(?:does(?: not|n't)|do not|no longer) (?:want|need|wish)\b|\bmöchte (?:nicht|kein\w*)/iu
const CORRECTS =
  /^(?:corrects?|changes?|wants? to (?:change|correct)|says? (?:that )?(?:something|it|this) is wrong|korrigiert)(?!\p{L})/iu
const LEAVES =
  /\b(?:says? goodbye|needs? nothing (?:more|else)|has no (?:more|further|other) questions?|is done|wants? to (?:end|leave|hang up)|hangs? up|verabschiedet|nothing else)\b/i
const PERSON =
  /\b(?:speak|talk|transferred|connected|chat)\b.{0,20}\b(?:with|to)\b.{0,20}\b(?:person|human|agent|someone|mechanic|colleague|staff|operator|manager|representative)\b|\b(?:wants?|requests?|asks? for) (?:a|an|the) (?:real )?(?:person|human|agent|operator|manager|representative)\b|mit einem menschen/i
const COMPLAINS = /\b(?:complain\w*|angry|upset|annoyed|frustrated|unhappy|dissatisfied|beschwer\w*|verärgert)\b/i
const OTHER_WISH = /\b(?:wants?|asks? for|needs?) (?:something|anything) else(?: than (?:a |an )?(.+))?/i
const GOES_ON = /\b(?:go on|continue|proceed|carry on|resume|weitermachen)\b/i
const CORRECTION =
  /\b(?:not|no|wrong|instead|actually|rather|change|sorry|meant|make it)\b|(?<!\p{L})(?:nicht|nein|falsch|sondern|statt|doch|ändern)(?!\p{L})/iu
const QUESTION =
  /^(?:has|asks?|hat|stellt) (?:a |an |eine |another )?(?:other )?(?:questions?|frage)(?!\p{L})\s?(?:about|on|zu)?\s?/iu
const WISH = /^(?:wants?|needs?|would like|möchte|braucht)(?!\p{L})/iu
const WH_LIST = /^(?:what|which|why|where|who|was|worum)\b/i
const EVERYTHING =
  /^(?:the |die |alle )?(?:message|order|everything|all|details|information|nachricht|bestellung|alles|angaben)$/i
const FAILS = /\b(?:fail(?:s|ed)?|error|not (?:found|available|possible|work\w*)|went wrong)\b/i
const SUCCEEDS =
  /\b(?:succe\w+|work(?:s|ed)|done|is (?:known|available|found|booked|created|stored)|was (?:found|booked|created|sent|stored))\b/i
/** "How much is a repair?" asks for a price, not for a booking. */
const ASKS_FACT = /^(?:how (?:much|long|many)|what|when|where|are you|do you|is there|wie|was|wann|wo)(?!\p{L})/iu

/** Returns the likelihood that a condition holds, from 0 to 1. */
export function rateFit(condition: string, scene: EdgeScene): number {
  const plainText = trimEndMarks(condition.slice(0, 400).replaceAll('’', "'"), '.!')
  const body = plainText.replace(SUBJECT, '')
  if (body === '') return 0
  return (
    rateResult(plainText, scene) ?? Math.max(...body.split(/,?\s(?:or|oder)\s|;\s/).map((part) => rateAll(part, scene)))
  )
}

/** Rates a condition whose clauses must all hold: "wants an appointment and has said what it is about". */
function rateAll(text: string, scene: EdgeScene): number {
  const parts = text.split(/,?\s(?:and|und)\s(?=(?:has|have|is|the|wants|needs|says|asks|agrees|confirms|hat|ist)\b)/i)
  // The wish may be in an earlier message than its details.
  const recent = scene.conversation.exchanges.slice(-3).map(({ user: said }) => said)
  const fitOfWish = (part: string): number =>
    parts.length > 1 && WISH.test(part) ? getOverlap(part, recent.join(' ')) : 0
  return Math.min(
    ...parts.map((part) => part.replace(SUBJECT, '')).map((part) => Math.max(fitOfWish(part), ratePart(part, scene))),
  )
}

function ratePart(text: string, scene: EdgeScene): number {
  const { user: said, agent: asked } = scene.conversation.current ?? { user: '', agent: '' }
  const polarity = detectPolarity(said)
  const intents = detectIntents(said)
  const asks = isQuestion(said)
  const givenMatch = GIVEN.exec(text)
  if (givenMatch !== null) return rateGiven(givenMatch[1] ?? givenMatch[2] ?? '', scene)
  if (LEAVES.test(text)) {
    const hasEnough = polarity === 'no' && /\b(?:else|anything|sonst)\b/i.test(asked)
    return intents.has('goodbye') ? 1 : hasEnough || intents.has('thanks') ? 0.9 : 0
  }
  if (CORRECTS.test(text)) return polarity !== 'yes' && CORRECTION.test(said) ? 0.85 : 0
  if (AGREES.test(text)) return polarity === 'yes' && !asks ? 0.95 : 0
  if (DECLINES.test(text)) return polarity === 'no' ? 0.95 : 0
  if (PERSON.test(text)) return intents.has('person') ? 1 : 0
  if (COMPLAINS.test(text)) return scoreSentiment(said) <= -1 ? 0.8 : 0
  const wish = OTHER_WISH.exec(text)
  if (wish !== null)
    return getOverlap(wish[1] ?? '', said) < 0.5 && (asks || polarity === 'no' || findTopics(said).length > 1) ? 0.6 : 0
  if (QUESTION.test(text)) {
    const share = getOverlap(text.replace(QUESTION, ''), said)
    return Math.max(asks || /\b(?:question|frage)n?\b/i.test(said) ? 0.55 : 0, share)
  }
  if (GOES_ON.test(text) && GOES_ON.test(said)) return 0.9
  // "Yes" confirms the agent's question.
  const share = getOverlap(
    text,
    polarity === 'yes' ? `${said} ${asked.slice(asked.lastIndexOf('.', asked.length - 2) + 1)}` : said,
  )
  if (polarity === 'no' && !/\b(?:not|no|never|without|nicht|kein\w*)\b/i.test(text)) return share * 0.3
  if (!WISH.test(text)) return share
  return asks ? share * (ASKS_FACT.test(said) ? 0.6 : 1) : Math.max(scene.namesChoice === true ? 0.6 : 0, share)
}

/** Returns the share of a text's topic words that another text contains. */
export function getOverlap(text: string, heard: string): number {
  const topics = findTopics(text)
  const set = new WordSet(findTopics(heard).slice(0, 80))
  const total = topics.reduce((sum, { weight }) => sum + weight, 0)
  return total === 0 ? 0 : topics.reduce((sum, word) => sum + set.computeShare(word) * word.weight, 0) / total
}

/** Rates a condition that the user has given certain values. */
function rateGiven(list: string, { conversation, today, stepFields = [] }: EdgeScene): number {
  const items = WH_LIST.test(list) ? [list] : list.split(/,\s(?:and )?|\s(?:and|und|or|oder)\s/i)
  const number = items.length > 1 ? 'how many' : 'phone number'
  const named = items.map((item) => createField(item.replace(/^(?:their|the|an?) number$/i, number)))
  const fields = EVERYTHING.test(list) && stepFields.length > 0 ? stepFields : named
  const { values, missing } = fillFields(fields, conversation.exchanges.slice(-8), { today, acceptsText: true })
  return missing.length === 0 && values.size > 0 && !/[?？]\s*$/.test(conversation.current?.user ?? '') ? 0.95 : 0
}

/** Rates a condition on the result of a tool or node. Returns `null` for other conditions. */
function rateResult(condition: string, { conversation, note }: EdgeScene): number | null {
  const result = conversation.hasFreshResults || note !== '' ? (conversation.calls.at(-1)?.result ?? '') : ''
  if (note === '' && result === '') return null
  const isFailed = isFailedResult(result) || /\b(?:failed|not run|error)\b/i.test(note)
  if (isFailed || FAILS.test(condition)) return isFailed && FAILS.test(condition) ? 0.9 : 0
  return SUCCEEDS.test(condition) || getOverlap(condition, `${note} ${result}`) >= 0.6 ? 0.9 : null
}

/** Parses a tool whose `choice` describes one condition per line. Returns `null` for other tools. */
export function readRouter({
  parameters,
}: ModelTool): { readonly conditions: ReadonlyMap<string, string>; readonly otherwise: string } | null {
  const { choice } = isObject(parameters.properties) ? parameters.properties : ({} as JsonObject)
  if (!isObject(choice) || !Array.isArray(choice.enum) || typeof choice.description !== 'string') return null
  const conditions = new Map<string, string>()
  for (const line of choice.description.split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) conditions.set(line.slice(0, colon), line.slice(colon + 2))
  }
  const otherwise = choice.enum.map(String).find((key) => /^(?:stay|else)$/.test(key)) ?? String(choice.enum.at(-1))
  conditions.delete(otherwise)
  return { conditions, otherwise }
}

/** Chooses the edge with the best fit. For equal fits, the node's own edges come first. */
export function chooseEdge({ conditions, otherwise }: NonNullable<ReturnType<typeof readRouter>>, scene: EdgeScene) {
  const rated = [...conditions].map(([key, condition]) => ({ key, condition, fit: rateFit(condition, scene) }))
  const bestEdge = rated.toSorted((left, right) => right.fit - left.fit)[0]
  if (bestEdge === undefined || bestEdge.fit < MIN_FIT)
    return { choice: otherwise, reason: 'None of the conditions clearly holds.' }
  const words = bestEdge.condition.split(' ')
  const start = words.slice(0, 5).join(' ')
  return { choice: bestEdge.key, reason: `What the user said fits: ${start}${words.length > 5 ? ' …' : ''}` }
}
