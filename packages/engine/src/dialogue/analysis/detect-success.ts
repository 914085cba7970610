import { detectIntents, isQuestion } from '../rules/intents.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'
import { scoreSentiment } from './detect-sentiment.ts'

/** Matches an agent's unhelpful answers. */
const UNHELPFUL_ANSWER =
  /\b(?:i (?:do not|don['’]t) (?:know|have (?:that|this|any) information)|i(?:['’]m| am) (?:not able|unable)|(?:i|we) (?:cannot|can['’]t|could not|couldn['’]t) (?:help|find|do|answer|complete|process)|(?:something|that) went wrong|not available in this channel|please try again later|das wei(?:ß|ss) ich (?:leider )?nicht|kann ich (?:ihnen )?(?:leider )?nicht)\b/i
/** Matches the results of failed tool calls. */
const FAILED_TOOL_RESULT =
  /^(?:The tool failed|outcome unknown|error\b)|"(?:error|errors)"\s*:\s*(?:"[^"]|\{|\[\s*[^\]\s])|"success"\s*:\s*false/i

/**
 * Decides whether a conversation was successful from its ending, the last answer, the last tool call and the user's last words.
 * Returns `null` if the user said nothing.
 */
export function detectSuccess({ history, endedBy, lastTurnFailed }: AnalyzedConversation): boolean | null {
  const messages = history.filter(
    ({ role, content }) => (role === 'user' || role === 'assistant') && content.trim() !== '',
  )
  const lastMessage = messages.at(-1)
  const lastUserText = messages.findLast(({ role }) => role === 'user')?.content ?? null
  const lastAgentText = messages.findLast(({ role }) => role === 'assistant')?.content ?? ''
  if (lastUserText === null || lastMessage === undefined) return null
  if (lastTurnFailed || hasLastToolCallFailed(history)) return false
  const intents = detectIntents(lastUserText)
  if (intents.has('person') && lastMessage.role === 'user') return false
  if (scoreSentiment(lastUserText) <= -1.5) return false
  if (lastMessage.role === 'user') return intents.has('thanks') || intents.has('goodbye')
  if (UNHELPFUL_ANSWER.test(lastAgentText)) return false
  if (intents.has('thanks') || intents.has('goodbye') || endedBy === 'agent') return true
  // If the user stays silent after a question, the agent lacks the information that it asked for.
  return !(endedBy === 'silence' && isInformationRequest(lastAgentText))
}

/** Whether the last tool call failed. A later success outweighs earlier failures. */
export function hasLastToolCallFailed(history: AnalyzedConversation['history']): boolean {
  const result = history.findLast(({ role }) => role === 'tool')
  return result !== undefined && isFailedToolResult(result.content)
}

/** Whether a tool result reports a failure. */
export function isFailedToolResult(result: string): boolean {
  return FAILED_TOOL_RESULT.test(result.slice(0, 2_000).trim())
}

/** Whether a text asks for information. Courtesy questions such as "Anything else?" do not count. */
function isInformationRequest(text: string): boolean {
  const isCourtesyQuestion = /(?:anything|something) else|(?:sonst|noch) (?:etwas|was)|may i help|how can i help/i.test(
    text.slice(-200),
  )
  return isQuestion(text.trim().slice(-300)) && !isCourtesyQuestion
}
