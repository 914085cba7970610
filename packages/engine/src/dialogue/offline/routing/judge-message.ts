import { extractValues } from '../extract-values.ts'
import { intentsOf, isQuestion } from '../intents.ts'
import type { Exchange } from '../read-messages.ts'
import { answersInWords, fitOfGiven } from './given-values.ts'
import type { Condition } from './read-condition.ts'
import { asksForMore, asksWhether, type Stance, stanceOf } from './stance.ts'
import { presence, share, type Topic, topicsOf } from './topics.ts'
import { meaningsByPhrase } from './vocabulary.ts'

/** What was said last, read once for all conditions. */
export interface MessageReading {
  readonly exchanges: readonly Exchange[]
  readonly exchange: Exchange
  readonly stance: Stance
  readonly topics: readonly Topic[]
  /** Of what the user does not want. */
  readonly unwanted: readonly Topic[]
  readonly askedTopics: readonly Topic[]
  readonly answersWhether: boolean
  readonly question: boolean
}

/** The conditions of one question, to be told apart. */
export interface Rivals {
  readonly conditions: readonly Condition[]
  /** What was said of what any of the conditions speaks of. */
  readonly known: readonly Topic[]
  /** How much a topic tells the conditions apart, 0 to 1. */
  weigh(topic: Topic): number
}

const unwantedPart =
  /\b(?:(?:do|does|did|would)(?:n't| not) (?:want|need|like|wish|plan|mean|intend)|not (?:going|looking|planning|here) to|no longer (?:want|need)|instead of|rather than)\b([^,.;!?]*?)(?=$|[,.;!?]|\b(?:but|just|only|rather)\b)/gi
const anger =
  /\b(?:ridiculous|unacceptable|outrage\w*|terrible|awful|horrible|disgrac\w*|disgusting|furious|angry|fed up|sick of|worst|useless|pathetic|scandal|a joke|waste of|how dare|incompetent|shame on|hell|damn|idiots?|stupid|(?:so|really|very|pretty|quite|extremely|totally|too) (?:annoyed|annoying|disappoint\w+|frustrat\w+|upset|unhappy|mad)|i(?:'m| am) (?:annoyed|disappointed|frustrated|upset|livid))\b|!{2,}/i

const ofAnyQuestion = new Set(
  topicsOf(
    'question faq ask general product services company business offer information clarification details matter',
  ).map(({ term }) => term),
)

/** Reads the last message for the conditions. */
export function readForRouting(exchanges: readonly Exchange[], exchange: Exchange): MessageReading {
  const said = exchange.said.replaceAll('’', "'")
  const unwanted = [...said.matchAll(unwantedPart)].map((found) => found[1] ?? '').join('. ')
  const wanted = said.replace(unwantedPart, ' ')
  return {
    exchanges,
    exchange,
    stance: stanceOf(said),
    topics: topicsOf(wanted),
    unwanted: topicsOf(unwanted),
    askedTopics: topicsOf(exchange.asked.slice(-600)),
    answersWhether: asksWhether(exchange.asked),
    question: isQuestion(said),
  }
}

/** Reads conditions together: a word that several of them use tells little. */
export function rivalsOf(conditions: readonly Condition[], { topics }: MessageReading): Rivals {
  const holders = new Map<string, number>()
  for (const condition of conditions) {
    const keys = new Set(condition.topics.flatMap(({ term, meanings }) => [term, ...meanings]))
    for (const key of keys) holders.set(key, (holders.get(key) ?? 0) + 1)
  }
  return {
    conditions,
    known: topics.filter((topic) => conditions.some((one) => presence(topic, one.topics) > 0)),
    weigh: ({ term, meanings }) => 1 / Math.max(1, ...[term, ...meanings].map((key) => holders.get(key) ?? 0)),
  }
}

function lexicalFit(condition: Condition, message: MessageReading, rivals: Rivals): number {
  if (message.topics.length === 0) return 0
  let best = 0
  for (const alternative of condition.alternatives) {
    const covered = share(alternative, message.topics, rivals.weigh)
    if (covered === 0) continue
    const explained = share(rivals.known, alternative, rivals.weigh)
    const whole = share(message.topics, alternative, () => 1)
    best = Math.max(best, 0.5 * covered + 0.35 * explained + 0.15 * whole)
  }
  return best
}

/** Yes and no count towards the conditions that speak of what was asked, or of agreeing. */
function stanceFit(condition: Condition, message: MessageReading, rivals: Rivals): number {
  const { stance, answersWhether, askedTopics } = message
  if (stance.polarity === null) return impliedYes(condition, message)
  if (!answersWhether && !stance.plain) return 0
  const agrees = stance.polarity === 'yes'
  const about = share(condition.topics, askedTopics, () => 1)
  const opposed = condition.opposed.some((meaning) => askedTopics.some((topic) => topic.meanings.includes(meaning)))
  const weight = answersWhether ? 1 : 0.5
  if (opposed && answersWhether) return agrees === condition.negative ? 0.7 : 0
  if (condition.kinds.has('agree')) return agrees ? weight * (0.65 + 0.2 * about) : 0
  if (condition.kinds.has('refuse')) return agrees ? 0 : weight * (0.62 + 0.2 * about)
  if (!answersWhether || asksForMore(message.exchange.asked)) return 0
  if (['lacking', 'unsure', 'more', 'leave'].some((kind) => condition.kinds.has(kind as 'more'))) return 0
  if (condition.negative) return agrees ? 0 : 0.5 + 0.3 * about
  const twin = rivals.conditions.some((other) => other !== condition && other.negative && isTwin(condition, other))
  return agrees ? Math.max(twin ? 0.6 : 0, about > 0 ? 0.35 + 0.35 * about : 0) : 0
}

const waiting = /\b(?:moment|second|minute|wait|hold on|hang on|repeat|pardon|hello|hi)\b/i

/** "Do you take other medicine?" – "Aspirin, every day." */
function impliedYes(
  condition: Condition,
  { stance, answersWhether, question, topics, askedTopics, exchange }: MessageReading,
): number {
  if (!answersWhether || question || stance.unsure || condition.negative || topics.length === 0) return 0
  if (!condition.kinds.has('topic') || waiting.test(exchange.said) || asksForMore(exchange.asked)) return 0
  return share(condition.topics, askedTopics, () => 1) >= 0.5 ? 0.33 : 0
}

function withoutNegation(text: string): string {
  return text
    .replace(/\b(?:not|no|never|does|do|did)\b|n't\b/gi, ' ')
    .replace(/s?\b[\s.]+/g, ' ')
    .trim()
    .toLowerCase()
}

function isTwin(left: Condition, right: Condition): boolean {
  if (withoutNegation(left.text) === withoutNegation(right.text)) return true
  return left.topics.length > 0 && share(left.topics, right.topics, () => 1) >= 0.6
}

function quantityFit(condition: Condition, message: MessageReading): number {
  const { quantity } = condition
  if (quantity === null) return 0
  const { numbers } = extractValues(message.exchange.said, null)
  const near = numbers.filter(({ before, after }) =>
    topicsOf(`${before.slice(-20)} ${after.slice(0, 20)}`).some((topic) => presence(topic, quantity.topics) > 0.8),
  )
  const about = message.askedTopics.some((topic) => presence(topic, quantity.topics) >= 0.8)
  const values = near.length > 0 ? near : about || numbers.length === 1 ? numbers.slice(-1) : []
  return values.some(({ value }) => value >= quantity.least && value <= quantity.most) ? 0.95 : 0
}

function lackingFit(condition: Condition, message: MessageReading): number {
  const { exchange, stance } = message
  const lacks =
    /\b(?:(?:do|does|did)(?:n't| not) (?:really )?(?:have|know|remember)|can(?:'t|not) (?:find|remember|recall)|no idea|lost|forgot(?:ten)?|not (?:here|with me|at hand)|without|haven't got|never (?:got|had|received))\b/i.test(
      exchange.said.replaceAll('’', "'"),
    )
  const about =
    condition.topics.length === 0
      ? 1
      : Math.max(
          share(condition.topics, message.topics, () => 1),
          share(condition.topics, message.unwanted, () => 1),
          0.7 * share(condition.topics, message.askedTopics, () => 1),
        )
  if (lacks && about > 0) return 0.6 + 0.3 * about
  const asked = /\b(?:do|did|have) you (?:\w+ )?(?:have|know|remember|got)\b/i.test(exchange.asked)
  return stance.polarity === 'no' && about > 0 && asked ? 0.5 + 0.2 * about : 0
}

function intentFit(condition: Condition, message: MessageReading): number {
  const { kinds } = condition
  const { stance, exchange } = message
  const intents = intentsOf(exchange.said)
  const asksMore = asksForMore(exchange.asked)
  let fit = 0
  if (kinds.has('leave')) {
    if (
      intents.has('goodbye') ||
      /^(?:no,? )?that(?: was| is|'s| will be| would be) (?:it|all|everything)\b/i.test(exchange.said)
    )
      fit = 0.95
    else if (asksMore && stance.polarity === 'no') fit = 0.9
    else if (asksMore && intents.has('thanks') && !message.question && stance.polarity !== 'yes') fit = 0.7
  }
  if (kinds.has('more') && !kinds.has('leave')) {
    if (asksMore && stance.polarity === 'yes') fit = Math.max(fit, 0.4)
    if (asksMore && message.question) fit = Math.max(fit, 0.4)
    if (/\b(?:another|other|one more|something else|also)\b/i.test(exchange.said)) fit = Math.max(fit, 0.45)
    if (message.question) fit = Math.max(fit, 0.36)
  }
  if (kinds.has('person') && intents.has('person')) fit = Math.max(fit, 0.95)
  if (kinds.has('anger') && anger.test(exchange.said)) fit = Math.max(fit, 0.85)
  if (
    kinds.has('unsure') &&
    (stance.unsure || /\bthink (?:about|it over)|\bneed (?:some |more )?time\b/i.test(exchange.said))
  )
    fit = Math.max(fit, 0.8)
  // A question about something is judged by what it is about.
  if (kinds.has('question') && message.question && condition.topics.every(({ term }) => ofAnyQuestion.has(term)))
    fit = Math.max(fit, 0.42)
  if (kinds.has('refuse') && intents.has('cancel')) fit = Math.max(fit, 0.85)
  if (kinds.has('answered') && answersInWords('', exchange)) fit = Math.max(fit, 0.6)
  if (kinds.has('answered') && message.answersWhether && stance.polarity !== null) fit = Math.max(fit, 0.6)
  return fit
}

/** "No, it should be five": a correction of what the agent repeated. */
function correctionFit(condition: Condition, message: MessageReading): number {
  const changes = condition.topics.some(({ meanings }) => meanings.includes('~change'))
  const { stance, answersWhether } = message
  if (!changes || condition.negative || !answersWhether) return 0
  const values = extractValues(stance.rest, null)
  const corrects =
    meaningsByPhrase(stance.rest).includes('~change') ||
    [values.numbers, values.dates, values.times, values.emails, values.references].some((found) => found.length > 0)
  const abandons = message.unwanted.length > 0 || intentsOf(message.exchange.said).has('cancel')
  return stance.polarity === 'no' && corrects && !abandons && !message.question ? 0.9 : 0
}

/** How well a condition fits what was said last, 0 to about 1. */
export function judgeMessage(condition: Condition, message: MessageReading, rivals: Rivals): number {
  if (condition.kinds.has('catch-all')) return message.exchange.said.trim() === '' ? 0 : 0.31
  if (condition.quantity !== null) return quantityFit(condition, message)
  const lexical = lexicalFit(condition, message, rivals)
  const desire = condition.kinds.has('topic') || condition.kinds.has('more') || condition.kinds.has('question')
  const unwanted = share(condition.topics, message.unwanted, rivals.weigh)
  const fits = [intentFit(condition, message), stanceFit(condition, message, rivals), correctionFit(condition, message)]
  if (condition.kinds.has('lacking')) fits.push(lackingFit(condition, message))
  if (condition.kinds.has('provided') && condition.values !== null && !condition.negative)
    fits.push(fitOfGiven(condition.values, message.exchanges))
  if (condition.negative) fits.push(unwanted > 0 ? 0.5 + 0.4 * unwanted : 0, lexical * (saysNo(message) ? 1 : 0.3))
  else if (desire || (condition.kinds.has('agree') && !message.answersWhether)) {
    fits.push(unwanted > 0.5 ? 0 : lexical)
  } else if (!condition.kinds.has('provided')) fits.push(lexical * 0.8)
  else fits.push(condition.values === null ? lexical : 0)
  return Math.max(...fits)
}

function saysNo({ stance, exchange }: MessageReading): boolean {
  return stance.polarity === 'no' || /\b(?:not|no|never|nobody|without|cannot)\b|n['’]t\b/i.test(exchange.said)
}
