import type { CallEvent } from '@parley/contract/call-event'
import {
  applyVariableUpdates,
  clearing,
  type VariableUpdates,
} from '@parley/engine/dialogue/variables/variable-updates'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { dtmfRuns, knownValuesIn, questionsBefore } from './call-context.ts'
import { redactWords } from './redact-words.ts'

/** A redactor that knows what is personal in a call from all of it. */
export function redactorForCall(
  events: readonly CallEvent[],
  variables: readonly Readonly<Record<string, string | null>>[],
  { categories }: Pick<StoragePolicy, 'categories'>,
): Redactor {
  return createRedactor(categories, knownValuesIn(events, variables))
}

/** The record of a call without what is personal, event by event. */
export function redactEvents(events: readonly CallEvent[], redactor: Redactor): CallEvent[] {
  const questions = questionsBefore(events)
  const hidden = maskedDigits(events, questions, redactor)
  return events.map((event, index) => {
    if (hidden.has(index) && event.type === 'dtmf') return { ...event, digit: MASKED_DIGIT }
    return redactEvent(event, questions[index] ?? '', redactor)
  })
}

const MASKED_DIGIT = '*'

/** Keys that are part of something personal. */
function maskedDigits(
  events: readonly CallEvent[],
  questions: readonly string[],
  redactor: Pick<Redactor, 'find'>,
): ReadonlySet<number> {
  const hidden = new Set<number>()
  for (const { indexes, digits, asked } of dtmfRuns(events, questions)) {
    const ranges = redactor.find(digits, { asked })
    for (const [offset, index] of indexes.entries()) {
      if (ranges.some(({ start, end }) => start <= offset && offset < end)) hidden.add(index)
    }
  }
  return hidden
}

function redactEvent(event: CallEvent, asked: string, redactor: Redactor): CallEvent {
  switch (event.type) {
    case 'user-message': {
      const source = { asked }
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

/** Values are redacted; that a variable was cleared says nothing about anybody. */
function redactCollected(
  variables: VariableUpdates,
  redactor: Pick<Redactor, 'variables'>,
): Record<string, string | null> {
  const cleared = Object.keys(variables).filter((name) => variables[name] === null)
  return { ...redactor.variables(applyVariableUpdates({}, variables)), ...clearing(cleared) }
}
