import { isQuestion, polarityOf } from './intents.ts'
import { overlap } from './term-overlap.ts'
import { contentTerms } from './tokenise.ts'
import type { ReadTool } from './tool-roles.ts'

const requesting =
  /\b(?:i want|i wanna|i'd like|i’d like|i would like|i need|can you|could you|would you|can i|could i|may i|please|help me|let me|sign me up|i'm looking to|i have to)\b|^(?:book|reserve|cancel|change|move|reschedule|schedule|order|check|look up|track|rent|send|find|create|make|get|add|remove|register|report|show)\b/i
const personal = /\b(?:my|mine|our)\b/i

/** How well a tool fits a message. */
export interface FittingTool {
  readonly tool: ReadTool
  readonly fit: number
}

/** How well a message asks for a tool, 0 to 1, by the words of its name and description. */
export function fitOfTool(tool: ReadTool, message: string): number {
  const said = contentTerms(message)
    .filter((term) => !/\d/.test(term))
    .slice(0, 60)
  if (said.length === 0) return 0
  const fieldTerms = tool.fields.flatMap((field) => [...field.terms])
  const byName = overlap(tool.nameTerms, said)
  const matched = Math.max(
    overlap(said, tool.nameTerms),
    overlap(said, [...tool.nameTerms, ...tool.descriptionTerms]) * 0.9,
    overlap(said, [...tool.nameTerms, ...tool.descriptionTerms, ...fieldTerms]) * 0.8,
  )
  return 0.55 * byName + 0.45 * matched
}

/**
 * The tool that a message asks for, or `null`. `factCoverage` (0 to 1) is how well the prompt answers the message: a plain
 * question that the prompt answers is no request. `hasValue` says whether the message brings an argument of a tool.
 */
export function chooseTool(
  tools: readonly ReadTool[],
  message: string,
  options: { readonly factCoverage: number; readonly hasValue: (tool: ReadTool) => boolean },
): FittingTool | null {
  const request = requesting.test(message) || personal.test(message)
  const question = isQuestion(message)
  let best: FittingTool | null = null
  for (const tool of tools) {
    const lexical = fitOfTool(tool, message)
    if (lexical === 0) continue
    const fit = lexical + (options.hasValue(tool) ? 0.15 : 0)
    if (fit > (best?.fit ?? 0)) best = { tool, fit }
  }
  if (best === null || (polarityOf(message) === 'no' && best.fit < 0.6)) return null
  const needed = request ? 0.4 : question ? 0.5 : 0.55
  if (best.fit < needed) return null
  if (question && !request && !options.hasValue(best.tool) && options.factCoverage >= 0.5) return null
  return best
}
