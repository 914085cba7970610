import type { CallEvent } from '@parley/contract/call-event'
import type { Translate } from '../../lib/language.ts'
import type { TranscriptLine } from '../../parts/transcript/transcript-line.ts'

type ToolCall = Extract<CallEvent, { type: 'tool-call' }>
type ToolResult = Extract<CallEvent, { type: 'tool-result' }>

/** Converts a call's events to a transcript. Merges tool calls with their results and omits measurements. */
export function toCallLines(events: readonly CallEvent[], agentName: string, t: Translate): readonly TranscriptLine[] {
  const results = groupToolResults(events)
  const lines: TranscriptLine[] = []
  let speaker = agentName
  for (const event of events) {
    if (event.type === 'agent-swap') speaker = event.agentName
    const line = toTranscriptLine(event, { speaker, results, t })
    if (line !== null) lines.push(line)
  }
  // Messages are recorded when they end but displayed in order of their start.
  return lines.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0))
}

/** Returns the start of each turn in milliseconds after the start of the call. */
export function findTurnStarts(events: readonly CallEvent[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'user-message' && event.type !== 'agent-message') continue
    const { turnId, startMs } = event
    if (turnId !== null) starts.set(turnId, Math.min(startMs, starts.get(turnId) ?? startMs))
  }
  return starts
}

/** Groups results by tool call ID, in order, because a model can reuse an ID. */
function groupToolResults(events: readonly CallEvent[]): Map<string, ToolResult[]> {
  return Map.groupBy(
    events.filter((event) => event.type === 'tool-result'),
    ({ toolCallId }) => toolCallId,
  )
}

interface LineContext {
  readonly speaker: string
  readonly results: Map<string, ToolResult[]>
  readonly t: Translate
}

function toTranscriptLine(event: CallEvent, context: LineContext): TranscriptLine | null {
  const { speaker, t } = context
  const { position, atMs } = event
  const baseLine = { id: String(position), role: 'event', atMs, isInterrupted: false, isIncomplete: false } as const
  switch (event.type) {
    case 'user-message': {
      const name = event.source === 'typed' ? t('Caller (typed)') : t('Caller')
      return { ...baseLine, role: 'user', name, text: event.content, atMs: event.startMs }
    }
    case 'agent-message': {
      const name = speaker === '' ? t('Agent') : speaker
      const { content: text, startMs, interrupted: isInterrupted } = event
      return { ...baseLine, role: 'agent', name, text, atMs: startMs, isInterrupted }
    }
    case 'tool-call':
      return { ...baseLine, role: 'tool', name: t('Tool'), text: '', tool: toToolUse(event, context) }
    default: {
      const text = describeEvent(event, t)
      return text === null ? null : { ...baseLine, ...text }
    }
  }
}

function toToolUse({ name, arguments: argumentsText, toolCallId }: ToolCall, { results }: LineContext) {
  const result = results.get(toolCallId)?.shift()
  return {
    name,
    arguments: argumentsText,
    result: result?.content ?? null,
    isSuccessful: result?.successful ?? null,
    durationMs: result?.durationMs ?? null,
  }
}

/** Describes an event. Returns null for measurements. */
function describeEvent(event: CallEvent, t: Translate): { readonly name: string; readonly text: string } | null {
  switch (event.type) {
    case 'node-transition':
      return { name: t('Flow'), text: `${event.fromNodeName} → ${event.toNodeName}` }
    case 'state-transition':
      return { name: t('State'), text: `${event.from} → ${event.to}` }
    case 'agent-swap':
      return { name: t('Handoff'), text: t('{name} takes over.', { name: event.agentName }) }
    case 'sms':
      return {
        name: event.status === 'sent' ? t('Text message sent') : t('Text message not sent'),
        text: event.content,
      }
    case 'dtmf':
      return { name: t('Key pressed'), text: event.digit }
    case 'injected':
      return { name: t('Note to the agent'), text: event.content }
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
