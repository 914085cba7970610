import type { CallEvent } from '@parley/contract/call-event'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { nextQuestion } from '../redaction/redact-conversation.ts'
import { type KnownValue, knownFromFields, knownFromJson, knownFromWords } from '../redaction/redactor.ts'

/** What the agent had asked when each event happened; '' where nothing was. */
export function questionsBefore(events: readonly CallEvent[]): readonly string[] {
  let asked = ''
  return events.map((event) => {
    const before = asked
    if (event.type === 'user-message') asked = ''
    // What was not heard to its end is often answered all the same. Fillers ask nothing.
    if (event.type === 'agent-message' && !NON_QUESTION_KINDS.has(event.kind)) {
      asked = nextQuestion('assistant', event.generatedContent === '' ? event.content : event.generatedContent, asked)
    }
    return before
  })
}

const NON_QUESTION_KINDS: ReadonlySet<string> = new Set(['filler', 'tool-line', 'backchannel'])

/** Keys that were pressed one after another: a number is one run, each key an event of its own. */
export interface DtmfRun {
  /** Of its events. */
  readonly indexes: readonly number[]
  readonly digits: string
  /** What was asked before the first. */
  readonly asked: string
}

export function dtmfRuns(events: readonly CallEvent[], questions: readonly string[]): readonly DtmfRun[] {
  const runs: DtmfRun[] = []
  let indexes: number[] = []
  const close = (): void => {
    const [first] = indexes
    if (first === undefined) return
    const digits = indexes.map((index) => digitOf(events[index])).join('')
    runs.push({ indexes, digits, asked: questions[first] ?? '' })
    indexes = []
  }
  for (const [index, event] of events.entries()) {
    if (event.type === 'dtmf') indexes.push(index)
    else if (event.type === 'user-message') close()
  }
  close()
  return runs
}

/** One character each, so that places in the run are places in its events. */
function digitOf(event: CallEvent | undefined): string {
  return event?.type === 'dtmf' ? (event.digit[0] ?? ' ') : ' '
}

/** What a call says about people, from all of it: a name that is given once is found everywhere. */
export function knownValuesIn(
  events: readonly CallEvent[],
  variables: readonly Readonly<Record<string, string | null>>[],
): readonly KnownValue[] {
  const questions = questionsBefore(events)
  const known: KnownValue[] = variables.flatMap((given) => knownFromFields(given, true))
  for (const [index, event] of events.entries()) {
    if (event.type === 'user-message') known.push(...knownFromWords(event.content, questions[index] ?? ''))
    else if (event.type === 'tool-call') known.push(...knownFromJson(event.arguments, true))
    else if (event.type === 'tool-result') known.push(...knownFromJson(event.content, false))
    else if (event.type === 'variables') known.push(...knownFromFields(applyVariableUpdates({}, event.variables), true))
  }
  for (const { digits, asked } of dtmfRuns(events, questions)) known.push(...knownFromWords(digits, asked))
  return known
}
