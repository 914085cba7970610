import type { HistoryMessage } from '../conversation.ts'
import { toSingleLine } from '../text.ts'

/** Limit of tool arguments and results. */
const TOOL_CHARACTERS = 1_000

/** Share of the start in a shortened transcript: it has the request, the end has the outcome. */
const HEAD_SHARE = 1 / 3

/** Formats a conversation for a model, at most `budgetCharacters` long; a longer one keeps both ends and a note. */
export function formatTranscript(history: readonly HistoryMessage[], budgetCharacters: number): string {
  const lines = history.flatMap(linesOf)
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  if (length <= budgetCharacters) return lines.join('\n')
  const first = takeWithin(lines, budgetCharacters * HEAD_SHARE)
  const rest = lines.slice(first.length)
  const last = takeWithin(rest.reverse(), budgetCharacters * (1 - HEAD_SHARE)).reverse()
  const left = lines.length - first.length - last.length
  return [...first, `[${left} lines omitted]`, ...last].join('\n')
}

function takeWithin(lines: readonly string[], characters: number): string[] {
  const taken: string[] = []
  let used = 0
  for (const line of lines) {
    used += line.length + 1
    if (used > characters) {
      // Keep at least the start of one line.
      if (taken.length === 0) taken.push(cut(line, Math.max(200, Math.floor(characters))))
      break
    }
    taken.push(line)
  }
  return taken
}

function linesOf(message: HistoryMessage): string[] {
  if (message.role === 'tool')
    return [`Result of ${message.name}: ${cut(toSingleLine(message.content), TOOL_CHARACTERS)}`]
  if (message.role === 'system') return []
  const text = message.content.trim()
  if (message.role !== 'assistant') return text === '' ? [] : [`User: ${text}`]
  const calls = message.toolCalls.map(
    ({ name, argumentsText }) => `Agent calls ${name}: ${cut(toSingleLine(argumentsText), TOOL_CHARACTERS)}`,
  )
  return text === '' ? calls : [`Agent: ${text}`, ...calls]
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()} …`
}
