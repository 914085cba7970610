import { trimEndMarks } from '../cut-text.ts'
import type { ConversationReading, Exchange } from '../read-messages.ts'
import { judgeMessage, readForRouting, rivalsOf } from './judge-message.ts'
import { judgeResult, readResult } from './judge-result.ts'
import { type Condition, readCondition } from './read-condition.ts'

/** The smallest fit that counts; chosen on the tuned cases. */
const enough = 0.3
/** Own ways win over those that are open everywhere. */
const shareOfGlobal = 0.93

/** A way on that fits. */
export interface ChosenWay {
  /** Position among the conditions. */
  readonly position: number
  readonly fit: number
  readonly reason: string
}

/** One of several ways, as the question names it. */
export interface Way {
  readonly id: string
  readonly condition: string
}

/** What a question tells of the step itself, where the conversation does not show it; `null` when it tells nothing. */
function happenedAtStep(systems: readonly string[]): string | null {
  return /(?:^|\n)What happened at this step: (.{1,2000})$/s.exec((systems.at(-1) ?? '').slice(-3_000))?.[1] ?? null
}

/** Picks the way whose condition holds best, `null` when none does. Conditions are held against the newest result, or what was said last. */
export function chooseWay(ways: readonly Way[], reading: ConversationReading): ChosenWay | null {
  const conditions = ways.map(({ condition }) => readCondition(condition))
  const result = reading.freshResults.at(-1)?.content ?? happenedAtStep(reading.systems)
  const byResult =
    result === null ? null : best(ways, conditions, (condition) => judgeResult(condition, readResult(result)))
  if (byResult !== null) return { ...byResult, reason: resultReason(byResult.condition) }
  const exchange = reading.current ?? reading.exchanges.at(-1)
  if (exchange === undefined) return null
  const open = result === null ? () => true : ({ aboutUser }: Condition) => aboutUser
  const said = byMessage(ways, conditions, { exchanges: reading.exchanges, exchange, open })
  return said === null ? null : { ...said, reason: messageReason(said.condition) }
}

type Found = Omit<ChosenWay, 'reason'> & { readonly condition: Condition }

function byMessage(
  ways: readonly Way[],
  conditions: readonly Condition[],
  heard: {
    readonly exchanges: readonly Exchange[]
    readonly exchange: Exchange
    /** Whether what was said can fulfil a condition at all. */
    readonly open: (condition: Condition) => boolean
  },
): Found | null {
  const { exchanges, exchange, open } = heard
  const message = readForRouting(exchanges.length > 0 ? exchanges : [exchange], exchange)
  const rivals = rivalsOf(conditions, message)
  return best(ways, conditions, (condition) => (open(condition) ? judgeMessage(condition, message, rivals) : 0))
}

function best(
  ways: readonly Way[],
  conditions: readonly Condition[],
  judge: (condition: Condition) => number,
): Found | null {
  let found: Found | null = null
  for (const [position, condition] of conditions.entries()) {
    const fit = judge(condition) * (/^g\d/.test(ways[position]?.id ?? '') ? shareOfGlobal : 1)
    if (fit >= enough && fit > (found?.fit ?? 0)) found = { position, fit, condition }
  }
  return found
}

function resultReason({ text }: Condition): string {
  return shortened('The result fits', text)
}

function messageReason({ kinds, text }: Condition): string {
  if (kinds.has('agree')) return 'The user agreed.'
  if (kinds.has('leave')) return 'The user has nothing more to ask.'
  if (kinds.has('person')) return 'The user asked for a person.'
  return shortened('What the user said fits', text)
}

function shortened(lead: string, condition: string): string {
  const words = condition.split(/\s+/).filter((word) => word !== '')
  const room = 10 - lead.split(' ').length
  return `${lead}: ${trimEndMarks(words.slice(0, room).join(' '), '.,;:')}${words.length > room ? ' …' : '.'}`
}

/** How well one condition alone fits what was said, 0 to about 1. */
export function fitOfCondition(condition: string, exchange: Exchange): number {
  const read = readCondition(condition)
  const message = readForRouting([exchange], exchange)
  return judgeMessage(read, message, rivalsOf([read], message))
}
