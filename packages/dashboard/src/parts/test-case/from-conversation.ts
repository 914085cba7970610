import type { ResponseEngine } from '@parley/contract/response-engine'
import type { TranscriptLine } from '../transcript/transcript-line.ts'
import { type Engine, NO_ENGINE } from './engine.ts'

const MAX_PROMPT_BYTES = 32 * 1024
const MAX_NAME_LENGTH = 80

/** Lists the user's messages in order. */
export function listUserMessages(lines: readonly TranscriptLine[]): readonly string[] {
  return lines
    .filter(({ role }) => role === 'user')
    .map(({ text }) => collapseWhitespace(text))
    .filter((text) => text !== '')
}

/** Builds instructions for a simulated user who repeats a conversation. Omits messages beyond the size limit. */
export function buildUserPrompt(opening: string, userMessages: readonly string[]): string {
  const encoder = new TextEncoder()
  const lines: string[] = []
  let sizeBytes = encoder.encode(`${opening}\n`).length
  for (const text of userMessages) {
    sizeBytes += encoder.encode(`\n- ${text}`).length
    if (sizeBytes > MAX_PROMPT_BYTES) break
    lines.push(`- ${text}`)
  }
  return `${opening}\n\n${lines.join('\n')}`
}

/** Builds a default name from the user's first message. */
export function buildDefaultName([firstMessage = '']: readonly string[]): string {
  const characters = [...firstMessage]
  return characters.length <= MAX_NAME_LENGTH
    ? firstMessage
    : `${characters
        .slice(0, MAX_NAME_LENGTH - 1)
        .join('')
        .trimEnd()}…`
}

/** Returns the agent's prompt or flow, or `NO_ENGINE` for a custom LLM. */
export function toTestedEngine(engine: ResponseEngine): Engine {
  if ('llm_id' in engine) return { kind: 'llm', id: engine.llm_id }
  if ('conversation_flow_id' in engine) return { kind: 'conversation-flow', id: engine.conversation_flow_id }
  return NO_ENGINE
}

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function pickSetVariables(variables: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  )
}
