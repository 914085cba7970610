import type { CodeOutcome, HttpToolOutcome, McpFailure, OutgoingSms, SmsOutcome } from '../../ports.ts'
import { isRefusalContent } from '../channel.ts'
import type { VariableUpdates } from '../variables/variable-updates.ts'

/** Result of a tool call. `fullContent` equals `content` unless that was truncated. */
export interface ToolResult {
  /** What the model sees, at most 15,000 characters. */
  readonly content: string
  readonly fullContent: string
  readonly ok: boolean
  readonly durationMs: number
  /** Collected and cleared variables. */
  readonly variables: VariableUpdates
}

const CONTENT_LIMIT_CHARACTERS = 15_000

/** A result without a request, such as an invalid call. */
export function localResult(content: string, ok: boolean, variables: VariableUpdates = {}): ToolResult {
  return { content: truncateContent(content), fullContent: content, ok, durationMs: 0, variables }
}

/** A text message and its delivery result. */
export interface SentSms {
  readonly message: OutgoingSms
  readonly outcome: SmsOutcome
}

/** Result of code or an MCP tool. */
type TextOutcome =
  | CodeOutcome
  | { readonly ok: true; readonly bodyText: string; readonly durationMs: number }
  | McpFailure

/** Describes the result of code or an MCP tool for the model. */
export function textResult(
  outcome: TextOutcome | { ok: false; reason: string; message: string; durationMs: number },
  variables: VariableUpdates,
): ToolResult {
  const text = outcome.ok ? resultText(outcome) : failureText(outcome)
  return {
    content: truncateContent(text),
    fullContent: text,
    ok: outcome.ok,
    durationMs: outcome.durationMs,
    variables,
  }
}

const FAILURE = 'The tool failed ('

function failureText({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return `${FAILURE}${reason}): ${message}`
}

/** Whether a stored result is a failure. */
export function isFailureContent(content: string): boolean {
  return content.startsWith(FAILURE) || isRefusalContent(content)
}

function resultText(outcome: Extract<TextOutcome, { ok: true }>): string {
  const text = 'resultText' in outcome ? outcome.resultText : outcome.bodyText
  // Providers refuse tool messages without content.
  return text.trim() === '' ? 'Done, nothing was returned.' : text
}

/** Describes the response of an HTTP tool for the model; the body is passed as text. */
export function describeOutcome(outcome: HttpToolOutcome, variables: VariableUpdates): ToolResult {
  const text = outcome.ok ? describeBody(outcome) : failureText(outcome)
  return {
    content: truncateContent(text),
    fullContent: text,
    ok: outcome.ok,
    durationMs: outcome.durationMs,
    variables,
  }
}

function describeBody(outcome: Extract<HttpToolOutcome, { ok: true }>): string {
  // Providers refuse tool messages without content.
  return outcome.bodyText.trim() === '' ? `Status ${outcome.status}, no content.` : outcome.bodyText
}

/** Truncates text for the model, with a note, and never inside a character. */
export function truncateContent(text: string): string {
  if (text.length <= CONTENT_LIMIT_CHARACTERS) return text
  const note = `\n[cut: the result has ${text.length} characters]`
  const kept = text.slice(0, CONTENT_LIMIT_CHARACTERS - note.length)
  return (/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept) + note
}
