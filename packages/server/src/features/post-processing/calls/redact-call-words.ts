import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { basicAnalysis, redactAnalysis, redactMessages, redactorFor } from '../redaction/redact-conversation.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { NO_VARIABLES, redactVariables, type VariableColumns, variablesOf } from '../redaction/variable-columns.ts'
import type { EndedCall } from './ended-call-store.ts'
import { redactEvents, redactorForCall } from './redact-events.ts'

/** What a policy leaves of what was said in a call. */
export interface RedactedCallWords {
  /** `null`: they stay as they are. */
  readonly variables: VariableColumns | null
  /** `null`: nothing is left of the record. */
  readonly events: readonly CallEvent[] | null
  /** `null`: it follows from the events. */
  readonly transcript: string | null
  readonly analysis: ChatAnalysis
}

/** Takes out of a call what its policy does not keep. Metadata and attributes are the customer's own and stay. */
export function redactCallWords(ended: EndedCall, policy: StoragePolicy, analysis: ChatAnalysis): RedactedCallWords {
  const { call, events } = ended
  if (policy.setting === 'everything') return { variables: null, events, transcript: call.transcript, analysis }
  if (policy.setting === 'basic_attributes_only') {
    return { variables: NO_VARIABLES, events: null, transcript: '', analysis: basicAnalysis(analysis) }
  }
  const redactor = redactorOf(ended, policy)
  return {
    variables: redactVariables(call, redactor),
    events: redactEvents(events, redactor),
    transcript: hasWords(events) ? null : redactTranscript(call.transcript, redactor),
    analysis: redactAnalysis(analysis, redactor),
  }
}

/** A redactor that knows what is personal in a call; of calls without a record, by their transcript. */
function redactorOf({ call, events }: EndedCall, policy: Pick<StoragePolicy, 'categories'>): Redactor {
  const variables = variablesOf(call)
  if (hasWords(events)) return redactorForCall(events, variables, policy)
  return redactorFor({ messages: readTranscript(call.transcript), variables }, policy)
}

function hasWords(events: readonly CallEvent[]): boolean {
  return events.some(({ type }) => type === 'user-message' || type === 'agent-message')
}

/** Lines `Agent: …` and `User: …` without what is personal, for calls of which nothing else was kept. */
function redactTranscript(transcript: string, redactor: Redactor): string {
  const messages = readTranscript(transcript)
  return redactMessages(messages, redactor)
    .map(({ role, content }) => `${role === 'user' ? 'User' : 'Agent'}: ${content}`)
    .join('\n')
}

interface TranscriptLine {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly tool_calls: []
}

/** What was said by whom; a line that names nobody belongs to the one before. */
export function readTranscript(transcript: string): readonly TranscriptLine[] {
  const lines: TranscriptLine[] = []
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
