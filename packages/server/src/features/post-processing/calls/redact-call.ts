import type { CallEvent } from '@parley/contract/call-event'
import type { ChatAnalysis } from '@parley/contract/chat'
import {
  applyVariableUpdates,
  clearVariables,
  type VariableUpdates,
} from '@parley/engine/dialogue/variables/variable-updates'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import {
  createConversationRedactor,
  findOpenQuestion,
  NO_VARIABLES,
  parseVariableColumns,
  redactAnalysis,
  redactMessages,
  redactVariables,
  reduceToBasicAnalysis,
  type VariableColumns,
} from '../redaction/redact-conversation.ts'
import {
  collectKnownFromFields,
  collectKnownFromJson,
  collectKnownFromWords,
  createRedactor,
  type KnownValue,
  type Redactor,
} from '../redaction/redactor.ts'
import type { EndedCall } from './ended-call-store.ts'
import { redactWords } from './redact-words.ts'

/** Returns the agent's last question before each event, or `''` if there is none. */
function findPrecedingQuestions(events: readonly CallEvent[]): readonly string[] {
  let question = ''
  return events.map((event) => {
    const precedingQuestion = question
    if (event.type === 'user-message') question = ''
    // People often answer an interrupted question. Fillers ask nothing.
    if (event.type === 'agent-message' && !NON_QUESTION_KINDS.has(event.kind)) {
      question = findOpenQuestion(
        'assistant',
        event.generatedContent === '' ? event.content : event.generatedContent,
        question,
      )
    }
    return precedingQuestion
  })
}

const NON_QUESTION_KINDS: ReadonlySet<string> = new Set(['filler', 'tool-line', 'backchannel'])

/** Consecutive key presses. Each press is an event, but together they form a number. */
interface DtmfRun {
  /** Indexes of the run's events. */
  readonly indexes: readonly number[]
  readonly digits: string
  /** The question before the first key press. */
  readonly question: string
}

function findDtmfRuns(events: readonly CallEvent[], questions: readonly string[]): readonly DtmfRun[] {
  const runs: DtmfRun[] = []
  let indexes: number[] = []
  const closeRun = (): void => {
    const [firstIndex] = indexes
    if (firstIndex === undefined) return
    const digits = indexes.map((index) => getDtmfDigit(events[index])).join('')
    runs.push({ indexes, digits, question: questions[firstIndex] ?? '' })
    indexes = []
  }
  for (const [index, event] of events.entries()) {
    if (event.type === 'dtmf') indexes.push(index)
    else if (event.type === 'user-message') closeRun()
  }
  closeRun()
  return runs
}

/** Returns one character per event, so that positions in the run match the events. */
function getDtmfDigit(event: CallEvent | undefined): string {
  return event?.type === 'dtmf' ? (event.digit[0] ?? ' ') : ' '
}

/** Collects personal values from the whole call, so that a name mentioned once is found everywhere. */
function collectKnownValues(
  events: readonly CallEvent[],
  variables: readonly Readonly<Record<string, string | null>>[],
): readonly KnownValue[] {
  const questions = findPrecedingQuestions(events)
  const knownValues: KnownValue[] = variables.flatMap((fields) => collectKnownFromFields(fields, true))
  for (const [index, event] of events.entries()) {
    if (event.type === 'user-message') knownValues.push(...collectKnownFromWords(event.content, questions[index] ?? ''))
    else if (event.type === 'tool-call') knownValues.push(...collectKnownFromJson(event.arguments, true))
    else if (event.type === 'tool-result') knownValues.push(...collectKnownFromJson(event.content, false))
    else if (event.type === 'variables')
      knownValues.push(...collectKnownFromFields(applyVariableUpdates({}, event.variables), true))
  }
  for (const { digits, question } of findDtmfRuns(events, questions))
    knownValues.push(...collectKnownFromWords(digits, question))
  return knownValues
}

/** Creates a redactor that knows the personal values of the whole call. */
export function createCallRedactor(
  events: readonly CallEvent[],
  variables: readonly Readonly<Record<string, string | null>>[],
  { categories }: Pick<StoragePolicy, 'categories'>,
): Redactor {
  return createRedactor(categories, collectKnownValues(events, variables))
}

/** Removes personal data from a call's record, event by event. */
export function redactEvents(events: readonly CallEvent[], redactor: Redactor): CallEvent[] {
  const questions = findPrecedingQuestions(events)
  const maskedIndexes = findMaskedDigits(events, questions, redactor)
  return events.map((event, index) => {
    if (maskedIndexes.has(index) && event.type === 'dtmf') return { ...event, digit: MASKED_DIGIT }
    return redactEvent(event, questions[index] ?? '', redactor)
  })
}

const MASKED_DIGIT = '*'

/** Returns the indexes of key presses that belong to a personal number. */
function findMaskedDigits(
  events: readonly CallEvent[],
  questions: readonly string[],
  redactor: Pick<Redactor, 'find'>,
): ReadonlySet<number> {
  const maskedIndexes = new Set<number>()
  for (const { indexes, digits, question } of findDtmfRuns(events, questions)) {
    const ranges = redactor.find(digits, { question })
    for (const [offset, index] of indexes.entries()) {
      if (ranges.some(({ start, end }) => start <= offset && offset < end)) maskedIndexes.add(index)
    }
  }
  return maskedIndexes
}

function redactEvent(event: CallEvent, question: string, redactor: Redactor): CallEvent {
  switch (event.type) {
    case 'user-message': {
      const source = { question }
      const redacted = { content: event.content, source, ...redactor.redactText(event.content, source) }
      return { ...event, content: redacted.text, words: redactWords(event.words, redacted, redactor) }
    }
    case 'agent-message': {
      const source = { isAgent: true }
      const { content, generatedContent, words } = event
      const redacted = { content, source, ...redactor.redactText(content, source) }
      return {
        ...event,
        content: redacted.text,
        generatedContent: generatedContent === content ? redacted.text : redactor.text(generatedContent, source),
        words: redactWords(words, redacted, redactor),
      }
    }
    case 'tool-call':
      return { ...event, arguments: redactor.json(event.arguments, true) }
    case 'tool-result':
      return { ...event, content: redactor.json(event.content) }
    case 'sms':
      return {
        ...event,
        content: redactor.text(event.content),
        reason: event.reason === null ? null : redactor.text(event.reason),
      }
    case 'injected':
      return { ...event, content: redactor.text(event.content) }
    case 'variables':
      return { ...event, variables: redactCollected(event.variables, redactor) }
    case 'turn':
      return { ...event, decisions: redactor.value(event.decisions) as typeof event.decisions }
    case 'warning':
      return { ...event, message: redactor.text(event.message) }
    default:
      return event
  }
}

/** Redacts collected values. A cleared variable reveals nothing. */
function redactCollected(
  variables: VariableUpdates,
  redactor: Pick<Redactor, 'variables'>,
): Record<string, string | null> {
  const clearedNames = Object.keys(variables).filter((name) => variables[name] === null)
  return { ...redactor.variables(applyVariableUpdates({}, variables)), ...clearVariables(clearedNames) }
}

/** Content of a call after redaction. */
export interface RedactedCallWords {
  /** Variables, or null if unchanged. */
  readonly variables: VariableColumns | null
  /** Record, or null if removed. */
  readonly events: readonly CallEvent[] | null
  /** Transcript, or null if derived from the events. */
  readonly transcript: string | null
  readonly analysis: ChatAnalysis
}

/** Removes what a call's policy does not keep. Keeps metadata and attributes, which belong to the customer. */
export function redactCallWords(ended: EndedCall, policy: StoragePolicy, analysis: ChatAnalysis): RedactedCallWords {
  const { call, events } = ended
  if (policy.setting === 'everything') return { variables: null, events, transcript: call.transcript, analysis }
  if (policy.setting === 'basic_attributes_only') {
    return { variables: NO_VARIABLES, events: null, transcript: '', analysis: reduceToBasicAnalysis(analysis) }
  }
  const redactor = createStoredCallRedactor(ended, policy)
  return {
    variables: redactVariables(call, redactor),
    events: redactEvents(events, redactor),
    transcript: hasWords(events) ? null : redactTranscript(call.transcript, redactor),
    analysis: redactAnalysis(analysis, redactor),
  }
}

/** Creates a redactor that knows the personal values of a call. For calls without a record, uses the transcript. */
function createStoredCallRedactor({ call, events }: EndedCall, policy: Pick<StoragePolicy, 'categories'>): Redactor {
  const variables = parseVariableColumns(call)
  if (hasWords(events)) return createCallRedactor(events, variables, policy)
  return createConversationRedactor({ messages: readTranscript(call.transcript), variables }, policy)
}

function hasWords(events: readonly CallEvent[]): boolean {
  return events.some(({ type }) => type === 'user-message' || type === 'agent-message')
}

/** Redacts the `Agent: …` and `User: …` lines of a call that has only a transcript. */
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

/** Parses the speakers and lines of a transcript. A line without a speaker continues the previous line. */
export function readTranscript(transcript: string): readonly TranscriptLine[] {
  const lines: TranscriptLine[] = []
  if (transcript === '') return lines
  for (const line of transcript.split('\n')) {
    const match = /^(User|Agent): (.*)$/su.exec(line)
    const lastLine = lines.at(-1)
    if (match !== null) {
      lines.push({ role: match[1] === 'User' ? 'user' : 'assistant', content: match[2] ?? '', tool_calls: [] })
    } else if (lastLine === undefined) lines.push({ role: 'assistant', content: line, tool_calls: [] })
    else lines[lines.length - 1] = { ...lastLine, content: `${lastLine.content}\n${line}` }
  }
  return lines
}
