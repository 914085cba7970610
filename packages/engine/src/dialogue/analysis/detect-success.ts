import { intentsOf, isQuestion } from '../offline/intents.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'
import { sentimentScore } from './detect-sentiment.ts'

/** Answers of an agent that could not help. */
const UNHELPFUL_ANSWER =
  /\b(?:i (?:do not|don['’]t) (?:know|have (?:that|this|any) information)|i(?:['’]m| am) (?:not able|unable)|(?:i|we) (?:cannot|can['’]t|could not|couldn['’]t) (?:help|find|do|answer|complete|process)|(?:something|that) went wrong|not available in this channel|please try again later|das wei(?:ß|ss) ich (?:leider )?nicht|kann ich (?:ihnen )?(?:leider )?nicht)\b/i
/** As failed calls of tools are told. */
const FAILED_TOOL_RESULT =
  /^(?:The tool failed|outcome unknown|error\b)|"(?:error|errors)"\s*:\s*(?:"[^"]|\{|\[\s*[^\]\s])|"success"\s*:\s*false/i

/**
 * Whether a conversation came to a good end, by what happened in it: how it ended, whether the last question was answered,
 * whether the last call of a tool worked, and with what words the user left. `null` when the user said nothing.
 */
export function detectSuccess({ history, endedBy, lastTurnFailed }: AnalyzedConversation): boolean | null {
  const said = history.filter(({ role, content }) => (role === 'user' || role === 'assistant') && content.trim() !== '')
  const lastSaid = said.at(-1)
  const fromUser = said.findLast(({ role }) => role === 'user')?.content ?? null
  const fromAgent = said.findLast(({ role }) => role === 'assistant')?.content ?? ''
  if (fromUser === null || lastSaid === undefined) return null
  if (lastTurnFailed || lastToolFailed(history)) return false
  const intents = intentsOf(fromUser)
  if (intents.has('person') && lastSaid.role === 'user') return false
  if (sentimentScore(fromUser) <= -1.5) return false
  if (lastSaid.role === 'user') return intents.has('thanks') || intents.has('goodbye')
  if (UNHELPFUL_ANSWER.test(fromAgent)) return false
  if (intents.has('thanks') || intents.has('goodbye') || endedBy === 'agent') return true
  // Silence after a question of the agent: the user never said what was still needed.
  return !(endedBy === 'silence' && isAskingForMore(fromAgent))
}

/** Whether the last call of a tool failed; later ones make up for earlier ones. */
export function lastToolFailed(history: AnalyzedConversation['history']): boolean {
  const result = history.findLast(({ role }) => role === 'tool')
  return result !== undefined && hasFailed(result.content)
}

/** Whether a result tells of a failure. */
export function hasFailed(result: string): boolean {
  return FAILED_TOOL_RESULT.test(result.slice(0, 2_000).trim())
}

/** "Anything else?" needs no answer. */
function isAskingForMore(text: string): boolean {
  const isPolite = /(?:anything|something) else|(?:sonst|noch) (?:etwas|was)|may i help|how can i help/i.test(
    text.slice(-200),
  )
  return isQuestion(text.trim().slice(-300)) && !isPolite
}
