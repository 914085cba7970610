import type { CodeOutcome, HttpToolOutcome, McpFailure, OutgoingSms, SmsOutcome } from '../../ports.ts'
import { isRefusalContent } from '../channel.ts'
import type { VariableUpdates } from '../variables/variable-updates.ts'

/** A tool call's result. `fullContent` differs from `content` only if `content` was truncated. */
export interface ToolResult {
  /** Text for the model, at most 15,000 characters. */
  readonly content: string
  readonly fullContent: string
  readonly ok: boolean
  readonly durationMs: number
  /** Collected and cleared variables. */
  readonly variables: VariableUpdates
}

const CONTENT_LIMIT_CHARACTERS = 15_000

/** Creates a call's result. A call without a request, such as an invalid call, has a duration of zero. */
export function createResult(
  content: string,
  ok: boolean,
  { variables = {}, durationMs = 0 }: Partial<Pick<ToolResult, 'variables' | 'durationMs'>> = {},
): ToolResult {
  return { content: truncateContent(content), fullContent: content, ok, durationMs, variables }
}

/** A text message and its delivery status. */
export interface SentSms {
  readonly message: OutgoingSms
  readonly outcome: SmsOutcome
}

/** The response of a tool's client. */
export type CallOutcome =
  | HttpToolOutcome
  | CodeOutcome
  | { readonly ok: true; readonly bodyText: string; readonly durationMs: number }
  | McpFailure
  | { readonly ok: false; readonly reason: string; readonly message: string; readonly durationMs: number }

/** Describes a call's outcome for the model. A response body is passed as text. */
export function describeOutcome(outcome: CallOutcome, variables: VariableUpdates): ToolResult {
  const { ok, durationMs } = outcome
  const text = outcome.ok ? describeSuccess(outcome) : `${FAILURE}${outcome.reason}): ${outcome.message}`
  return createResult(text, ok, { variables, durationMs })
}

const FAILURE = 'The tool failed ('

/** Whether a stored result reports a failure. */
export function isFailureContent(content: string): boolean {
  return content.startsWith(FAILURE) || isRefusalContent(content)
}

function describeSuccess(outcome: Extract<CallOutcome, { ok: true }>): string {
  const text = getOutcomeText(outcome)
  if (text.trim() !== '') return text
  // Vendors reject tool messages without content.
  return 'status' in outcome ? `Status ${outcome.status}, no content.` : 'Done, nothing was returned.'
}

/** Returns a successful call's text. */
export function getOutcomeText(outcome: Extract<CallOutcome, { ok: true }>): string {
  return 'resultText' in outcome ? outcome.resultText : outcome.bodyText
}

/** Truncates text for the model and adds a note. Never cuts inside a character. */
export function truncateContent(text: string): string {
  if (text.length <= CONTENT_LIMIT_CHARACTERS) return text
  const note = `\n[cut: the result has ${text.length} characters]`
  const truncatedText = text.slice(0, CONTENT_LIMIT_CHARACTERS - note.length)
  return (/[\uD800-\uDBFF]$/.test(truncatedText) ? truncatedText.slice(0, -1) : truncatedText) + note
}
