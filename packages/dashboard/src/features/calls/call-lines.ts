import type { CallEvent } from '@parley/contract/call-event'
import type { Text } from '../../lib/language.ts'
import type { TranscriptLine } from '../../parts/transcript/transcript-line.ts'

type Said = Extract<CallEvent, { type: 'user-message' | 'agent-message' }>
type ToolCall = Extract<CallEvent, { type: 'tool-call' }>
type ToolResult = Extract<CallEvent, { type: 'tool-result' }>

/** The events of a call as lines to be read: results stand with the tools that gave them, figures are left out. */
export function callLines(events: readonly CallEvent[], agentName: string, t: Text): readonly TranscriptLine[] {
  const results = resultsOf(events)
  const lines: TranscriptLine[] = []
  let speaker = agentName
  for (const event of events) {
    if (event.type === 'agent-swap') speaker = event.agentName
    const line = lineOf(event, { speaker, results, t })
    if (line !== null) lines.push(line)
  }
  // What was said is written down when it is over, but stands where it began.
  return lines.sort((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0))
}

/** The answers of tools, in order; a model may use an id twice. */
function resultsOf(events: readonly CallEvent[]): Map<string, ToolResult[]> {
  const results = new Map<string, ToolResult[]>()
  for (const event of events) {
    if (event.type !== 'tool-result') continue
    results.set(event.toolCallId, [...(results.get(event.toolCallId) ?? []), event])
  }
  return results
}

interface Surroundings {
  readonly speaker: string
  readonly results: Map<string, ToolResult[]>
  readonly t: Text
}

function lineOf(event: CallEvent, surroundings: Surroundings): TranscriptLine | null {
  if (event.type === 'user-message' || event.type === 'agent-message') return saidLine(event, surroundings)
  if (event.type === 'tool-call') return toolLine(event, surroundings)
  const text = eventText(event, surroundings.t)
  if (text === null) return null
  return { ...plainLine(event), name: text.name, text: text.text }
}

function plainLine({ position, atMs }: CallEvent) {
  return { id: String(position), role: 'event', atMs, isInterrupted: false, isIncomplete: false } as const
}

function saidLine(event: Said, { speaker, t }: Surroundings): TranscriptLine {
  if (event.type === 'user-message') {
    const name = event.source === 'typed' ? t('Caller, typed') : t('Caller')
    return { ...plainLine(event), role: 'user', name, text: event.content, atMs: event.startMs }
  }
  return {
    ...plainLine(event),
    role: 'agent',
    name: speaker === '' ? t('Agent') : speaker,
    text: event.content,
    atMs: event.startMs,
    isInterrupted: event.interrupted,
  }
}

function toolLine(event: ToolCall, { results, t }: Surroundings): TranscriptLine {
  const result = results.get(event.toolCallId)?.shift()
  return {
    ...plainLine(event),
    role: 'tool',
    name: t('Tool'),
    text: '',
    tool: {
      name: event.name,
      arguments: event.arguments,
      result: result?.content ?? null,
      isSuccessful: result?.successful ?? null,
      durationMs: result?.durationMs ?? null,
    },
  }
}

/** What happened beside the words; null for what only figures are made of. */
function eventText(event: CallEvent, t: Text): { readonly name: string; readonly text: string } | null {
  switch (event.type) {
    case 'node-transition':
      return { name: t('Flow'), text: `${event.fromNodeName} → ${event.toNodeName}` }
    case 'state-transition':
      return { name: t('State'), text: `${event.from} → ${event.to}` }
    case 'agent-swap':
      return { name: t('Hand-over'), text: t('{name} takes over.', { name: event.agentName }) }
    case 'sms':
      return {
        name: event.status === 'sent' ? t('Text message sent') : t('Text message not sent'),
        text: event.content,
      }
    case 'dtmf':
      return { name: t('Key pressed'), text: event.digit }
    case 'injected':
      return { name: t('Told to the agent'), text: event.content }
    case 'variables':
      return {
        name: t('Variables'),
        text: Object.entries(event.variables)
          .map(([name, value]) => `${name} = ${value ?? '–'}`)
          .join('\n'),
      }
    case 'warning':
      return { name: t('Notice'), text: event.message }
    default:
      return null
  }
}
