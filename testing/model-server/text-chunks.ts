import type { ScriptedAnswer, ScriptedUsage } from './reply.ts'

/** The events of an answer as text: before the text, for each text delta, and after it. */
export interface RenderedAnswer {
  readonly opening: readonly string[]
  readonly words: readonly string[]
  readonly closing: readonly string[]
}

/** The deltas of an answer's text: a word with the blanks before it each, or as many pieces as were asked for. */
export function textPartsOf({ text = '', chunks }: ScriptedAnswer): string[] {
  if (text === '') return []
  if (chunks === undefined) return text.match(/\s*\S+|\s+$/g) ?? [text]
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, chunks)))
  const textParts: string[] = []
  for (let start = 0; start < characters.length; start += size)
    textParts.push(characters.slice(start, start + size).join(''))
  return textParts
}

/** Cuts text at the given positions; positions outside it and repeated ones do nothing. */
export function splitAt(text: string, positions: readonly number[] | undefined): string[] {
  const boundaries = [...new Set(positions)].filter((position) => position > 0 && position < text.length)
  const edges = [0, ...boundaries.sort((left, right) => left - right), text.length]
  return edges.slice(1).map((end, index) => text.slice(edges[index], end))
}

/** The usage to report: as scripted, or one token a piece. */
export function usageOf(answer: ScriptedAnswer): Required<ScriptedUsage> | null {
  if (answer.usage === null) return null
  const { inputTokens = 10, outputTokens = textPartsOf(answer).length, cachedInputTokens = 0 } = answer.usage ?? {}
  return { inputTokens, outputTokens, cachedInputTokens }
}
