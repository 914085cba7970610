import type { HistoryMessage } from '../conversation.ts'
import { toSingleLine } from '../text.ts'

/** Maximum length of a tool's arguments or result in the transcript. */
const TOOL_CHARACTERS = 1_000

/** Share of a shortened transcript that comes from its start. The start contains the request, and the end the outcome. */
const HEAD_SHARE = 1 / 3

/**
 * Formats a conversation for a model within `budgetCharacters`. A longer conversation keeps its start and end, with a note
 * between them.
 */
export function formatTranscript(history: readonly HistoryMessage[], budgetCharacters: number): string {
  const lines = history.flatMap(formatMessage)
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  if (length <= budgetCharacters) return lines.join('\n')
  const firstLines = takeFittingLines(lines, budgetCharacters * HEAD_SHARE)
  const remainingLines = lines.slice(firstLines.length)
  const lastLines = takeFittingLines(remainingLines.reverse(), budgetCharacters * (1 - HEAD_SHARE)).reverse()
  const omittedCount = lines.length - firstLines.length - lastLines.length
  return [...firstLines, `[${omittedCount} lines omitted]`, ...lastLines].join('\n')
}

function takeFittingLines(lines: readonly string[], maxCharacters: number): string[] {
  const selectedLines: string[] = []
  let usedCharacters = 0
  for (const line of lines) {
    usedCharacters += line.length + 1
    if (usedCharacters > maxCharacters) {
      // Keep at least the start of one message.
      if (selectedLines.length === 0) selectedLines.push(truncateText(line, Math.max(200, Math.floor(maxCharacters))))
      break
    }
    selectedLines.push(line)
  }
  return selectedLines
}

function formatMessage(message: HistoryMessage): string[] {
  if (message.role === 'tool')
    return [`Result of ${message.name}: ${truncateText(toSingleLine(message.content), TOOL_CHARACTERS)}`]
  if (message.role === 'system') return []
  const text = message.content.trim()
  if (message.role !== 'assistant') return text === '' ? [] : [`User: ${text}`]
  const calls = message.toolCalls.map(
    ({ name, argumentsText }) => `Agent calls ${name}: ${truncateText(toSingleLine(argumentsText), TOOL_CHARACTERS)}`,
  )
  return text === '' ? calls : [`Agent: ${text}`, ...calls]
}

function truncateText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()} …`
}
