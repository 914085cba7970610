import type { Passage } from '@parley/contract/knowledge-passage'

/** A tool that was used in a conversation. */
export interface ToolUse {
  readonly name: string
  /** What the model wrote: JSON, mostly. */
  readonly arguments: string
  /** Null until it has answered. */
  readonly result: string | null
  /** Null where nobody has said. */
  readonly isSuccessful: boolean | null
  readonly durationMs: number | null
}

/** One line of a conversation: what somebody said, a tool that was used, or something that happened. */
export interface TranscriptLine {
  readonly id: string
  readonly role: 'user' | 'agent' | 'tool' | 'event'
  /** Who it is from, as it is shown. */
  readonly name: string
  readonly text: string
  /** Milliseconds since the beginning; null where that is not known. */
  readonly atMs: number | null
  /** The other side began to speak before it was over. */
  readonly isInterrupted: boolean
  /** The text broke off. */
  readonly isIncomplete: boolean
  readonly tool?: ToolUse
  /** What it was answered from, the best first. */
  readonly passages?: readonly Passage[]
}

/** The line that is heard at a time: the last one that has begun. Lines are in the order of their times. */
export function lineAt(lines: readonly TranscriptLine[], atMs: number): TranscriptLine | null {
  return lines.findLast((line) => line.role !== 'event' && line.atMs !== null && line.atMs <= atMs) ?? null
}

/** JSON with a line for each field; anything else as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
