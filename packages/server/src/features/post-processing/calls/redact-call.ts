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
  collectKnownFromText,
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
    // Callers often answer a question before it ends. Fillers do not contain questions.
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

/** Returns one character per event so that positions in the run match the events. */
function getDtmfDigit(event: CallEvent | undefined): string {
  return event?.type === 'dtmf' ? (event.digit[0] ?? ' ') : ' '
}

/** Collects personal values from the whole call so that each value is found wherever it recurs. */
function collectKnownValues(
  events: readonly CallEvent[],
  variables: readonly Readonly<Record<string, string | null>>[],
): readonly KnownValue[] {
  const questions = findPrecedingQuestions(events)
  const knownValues: KnownValue[] = variables.flatMap((fields) => collectKnownFromFields(fields, true))
  for (const [index, event] of events.entries()) {
    if (event.type === 'user-message') knownValues.push(...collectKnownFromText(event.content, questions[index] ?? ''))
    else if (event.type === 'tool-call') knownValues.push(...collectKnownFromJson(event.arguments, true))
    else if (event.type === 'tool-result') knownValues.push(...collectKnownFromJson(event.content, false))
    else if (event.type === 'variables')
      knownValues.push(...collectKnownFromFields(applyVariableUpdates({}, event.variables), true))
  }
  for (const { digits, question } of findDtmfRuns(events, questions))
    knownValues.push(...collectKnownFromText(digits, question))
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

/** Redacts a call's events. */
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
  redactor: Pick<Redactor, 'findRanges'>,
): ReadonlySet<number> {
  const maskedIndexes = new Set<number>()
  for (const { indexes, digits, question } of findDtmfRuns(events, questions)) {
    const ranges = redactor.findRanges(digits, { question })
    for (const [offset, index] of indexes.entries()) {
      if (ranges.some(({ start, end }) => start <= offset && offset < end)) maskedIndexes.add(index)
    }
  }
  return maskedIndexes
}

function redactEvent(event: CallEvent, question: string, redactor: Redactor): CallEvent {
  switch (event.type) {
    case 'user-message': {
      const context = { question }
      const redactedMessage = {
        content: event.content,
        context,
        ...redactor.redactTextWithRanges(event.content, context),
      }
      return { ...event, content: redactedMessage.text, words: redactWords(event.words, redactedMessage, redactor) }
    }
    case 'agent-message': {
      const context = { isAgent: true }
      const { content, generatedContent, words } = event
      const redactedMessage = { content, context, ...redactor.redactTextWithRanges(content, context) }
      return {
        ...event,
        content: redactedMessage.text,
        generatedContent:
          generatedContent === content ? redactedMessage.text : redactor.redactText(generatedContent, context),
        words: redactWords(words, redactedMessage, redactor),
      }
    }
    case 'tool-call':
      return { ...event, arguments: redactor.redactJson(event.arguments, true) }
    case 'tool-result':
      return { ...event, content: redactor.redactJson(event.content) }
    case 'sms':
      return {
        ...event,
        content: redactor.redactText(event.content),
        reason: event.reason === null ? null : redactor.redactText(event.reason),
      }
    case 'injected':
      return { ...event, content: redactor.redactText(event.content) }
    case 'variables':
      return { ...event, variables: redactVariableUpdates(event.variables, redactor) }
    case 'turn':
      return { ...event, decisions: redactor.redactValue(event.decisions) as typeof event.decisions }
    case 'warning':
      return { ...event, message: redactor.redactText(event.message) }
    default:
      return event
  }
}

/** Redacts collected values. Cleared variables stay cleared. */
function redactVariableUpdates(
  variables: VariableUpdates,
  redactor: Pick<Redactor, 'redactVariables'>,
): Record<string, string | null> {
  const clearedNames = Object.keys(variables).filter((name) => variables[name] === null)
  return { ...redactor.redactVariables(applyVariableUpdates({}, variables)), ...clearVariables(clearedNames) }
}

/** Content of a call after redaction. */
export interface RedactedCallContent {
  /** Variables, or null if unchanged. */
  readonly variables: VariableColumns | null
  /** Events, or null if they are removed. */
  readonly events: readonly CallEvent[] | null
  /** Transcript, or null if it is built from the events. */
  readonly transcript: string | null
  readonly analysis: ChatAnalysis
}

/** Removes the content that a call's policy excludes. Keeps metadata and attributes. */
export function redactCallContent(
  endedCall: EndedCall,
  policy: StoragePolicy,
  analysis: ChatAnalysis,
): RedactedCallContent {
  const { call, events } = endedCall
  if (policy.setting === 'everything') return { variables: null, events, transcript: call.transcript, analysis }
  if (policy.setting === 'basic_attributes_only') {
    return { variables: NO_VARIABLES, events: null, transcript: '', analysis: reduceToBasicAnalysis(analysis) }
  }
  const redactor = createStoredCallRedactor(endedCall, policy)
  return {
    variables: redactVariables(call, redactor),
    events: redactEvents(events, redactor),
    transcript: hasMessages(events) ? null : redactTranscript(call.transcript, redactor),
    analysis: redactAnalysis(analysis, redactor),
  }
}

/** Creates a redactor that knows the personal values of a call. Without stored messages, uses the transcript. */
function createStoredCallRedactor({ call, events }: EndedCall, policy: Pick<StoragePolicy, 'categories'>): Redactor {
  const variables = parseVariableColumns(call)
  if (hasMessages(events)) return createCallRedactor(events, variables, policy)
  return createConversationRedactor({ messages: parseTranscript(call.transcript), variables }, policy)
}

function hasMessages(events: readonly CallEvent[]): boolean {
  return events.some(({ type }) => type === 'user-message' || type === 'agent-message')
}

/** Redacts the `Agent: …` and `User: …` lines of a call that has only a transcript. */
function redactTranscript(transcript: string, redactor: Redactor): string {
  const messages = parseTranscript(transcript)
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
export function parseTranscript(transcript: string): readonly TranscriptLine[] {
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
