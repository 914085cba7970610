import type { ResponseEngine } from '@parley/contract/response-engine'
import type { TranscriptLine } from '../transcript/transcript-line.ts'
import { type Engine, NO_ENGINE } from './engine.ts'

/** As much as a test case takes; the server counts bytes. */
const LONGEST_PROMPT_BYTES = 32 * 1024
const MAX_NAME_LENGTH = 80

/** What the customer said, in its order; nothing where nothing is kept. */
export function saidByUser(lines: readonly TranscriptLine[]): readonly string[] {
  return lines
    .filter(({ role }) => role === 'user')
    .map(({ text }) => inOneLine(text))
    .filter((text) => text !== '')
}

/** What a simulated user is told: to say what was said. The last words of a very long conversation are left out. */
export function userPromptOf(opening: string, said: readonly string[]): string {
  const size = new TextEncoder()
  const lines: string[] = []
  let sizeBytes = size.encode(`${opening}\n`).length
  for (const text of said) {
    sizeBytes += size.encode(`\n- ${text}`).length
    if (sizeBytes > LONGEST_PROMPT_BYTES) break
    lines.push(`- ${text}`)
  }
  return `${opening}\n\n${lines.join('\n')}`
}

/** A name to begin with: the first words of the customer. */
export function nameOf([first = '']: readonly string[]): string {
  const letters = [...first]
  return letters.length <= MAX_NAME_LENGTH
    ? first
    : `${letters
        .slice(0, MAX_NAME_LENGTH - 1)
        .join('')
        .trimEnd()}…`
}

/** The engine that a test case can be made for; none is chosen where a server of one's own answers. */
export function testedEngine(engine: ResponseEngine): Engine {
  if ('llm_id' in engine) return { kind: 'llm', id: engine.llm_id }
  if ('conversation_flow_id' in engine) return { kind: 'conversation-flow', id: engine.conversation_flow_id }
  return NO_ENGINE
}

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The variables that have a value. */
export function setVariablesOf(variables: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  )
}
