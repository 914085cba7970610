import { redactMessages } from '../redaction/redact-conversation.ts'
import type { Redactor } from '../redaction/redactor.ts'

/** Lines `Agent: …` and `User: …` without what is personal, for calls of which nothing else was kept. */
export function redactTranscript(transcript: string, redactor: Redactor): string {
  const messages = readTranscript(transcript)
  return redactMessages(messages, redactor)
    .map(({ role, content }) => `${role === 'user' ? 'User' : 'Agent'}: ${content}`)
    .join('\n')
}

interface Line {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly tool_calls: []
}

/** What was said by whom; a line that names nobody belongs to the one before. */
export function readTranscript(transcript: string): readonly Line[] {
  const lines: Line[] = []
  if (transcript === '') return lines
  for (const line of transcript.split('\n')) {
    const match = /^(User|Agent): (.*)$/su.exec(line)
    const last = lines.at(-1)
    if (match !== null) {
      lines.push({ role: match[1] === 'User' ? 'user' : 'assistant', content: match[2] ?? '', tool_calls: [] })
    } else if (last === undefined) lines.push({ role: 'assistant', content: line, tool_calls: [] })
    else lines[lines.length - 1] = { ...last, content: `${last.content}\n${line}` }
  }
  return lines
}
