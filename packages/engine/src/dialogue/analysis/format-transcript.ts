import type { HistoryMessage } from '../conversation.ts'

/** Of arguments and results of tools the beginning tells enough. */
const TOOL_CHARACTERS = 1_000

/** Share of the room that the beginning of a long conversation gets: it says what was wanted, the end what came of it. */
const HEAD_SHARE = 1 / 3

/** A conversation as a model reads it, at most `budgetCharacters` long: of a longer one both ends, with a note between them. */
export function formatTranscript(history: readonly HistoryMessage[], budgetCharacters: number): string {
  const lines = history.flatMap(linesOf)
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  if (length <= budgetCharacters) return lines.join('\n')
  const first = takeWithin(lines, budgetCharacters * HEAD_SHARE)
  const rest = lines.slice(first.length)
  const last = takeWithin(rest.reverse(), budgetCharacters * (1 - HEAD_SHARE)).reverse()
  const left = lines.length - first.length - last.length
  return [...first, `[${left} lines are left out here]`, ...last].join('\n')
}

function takeWithin(lines: readonly string[], characters: number): string[] {
  const taken: string[] = []
  let used = 0
  for (const line of lines) {
    used += line.length + 1
    if (used > characters) {
      // At least the beginning of one line, however little room there is.
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

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()} …`
}
