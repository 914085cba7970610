import type { ScriptedAnswer, ScriptedUsage } from './reply.ts'

/** Events of an answer as text: before the text, for each text delta, and after the text. */
export interface RenderedAnswer {
  readonly opening: readonly string[]
  readonly words: readonly string[]
  readonly closing: readonly string[]
}

/** Returns the text deltas of an answer: one per word with its leading spaces, or the requested number of chunks. */
export function splitText({ text = '', chunks }: ScriptedAnswer): string[] {
  if (text === '') return []
  if (chunks === undefined) return text.match(/\s*\S+|\s+$/g) ?? [text]
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, chunks)))
  const textParts: string[] = []
  for (let start = 0; start < characters.length; start += size)
    textParts.push(characters.slice(start, start + size).join(''))
  return textParts
}

/** Splits text at the given positions. Duplicate positions and positions outside the text have no effect. */
export function splitAt(text: string, positions: readonly number[] | undefined): string[] {
  const boundaries = [...new Set(positions)].filter((position) => position > 0 && position < text.length)
  const edges = [0, ...boundaries.sort((left, right) => left - right), text.length]
  return edges.slice(1).map((end, index) => text.slice(edges[index], end))
}

/** Returns the usage to report: the scripted usage, or one token per delta. */
export function getUsage(answer: ScriptedAnswer): Required<ScriptedUsage> | null {
  if (answer.usage === null) return null
  const { inputTokens = 10, outputTokens = splitText(answer).length, cachedInputTokens = 0 } = answer.usage ?? {}
  return { inputTokens, outputTokens, cachedInputTokens }
}
