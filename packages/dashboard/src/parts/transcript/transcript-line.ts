import type { Passage } from '@parley/contract/knowledge-passage'

/** A tool call in a conversation. */
export interface ToolUse {
  readonly name: string
  /** The model's unparsed arguments, usually JSON. */
  readonly arguments: string
  /** Null while the call is pending. */
  readonly result: string | null
  readonly isSuccessful: boolean | null
  readonly durationMs: number | null
}

/** One entry of a transcript. */
export interface TranscriptLine {
  readonly id: string
  readonly role: 'user' | 'agent' | 'tool' | 'event'
  readonly name: string
  readonly text: string
  /** Milliseconds since the start of the conversation. */
  readonly atMs: number | null
  readonly isInterrupted: boolean
  readonly isIncomplete: boolean
  readonly tool?: ToolUse
  readonly passages?: readonly Passage[]
}

/** Finds the line that plays at a time. Lines must be sorted by time. */
export function findLineAtTime(lines: readonly TranscriptLine[], atMs: number): TranscriptLine | null {
  return lines.findLast((line) => line.role !== 'event' && line.atMs !== null && line.atMs <= atMs) ?? null
}

/** Indents JSON. Returns other text unchanged. */
export function formatPrettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
