import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { Translate } from '../../lib/language.ts'
import { groupPassagesByMessage } from '../../parts/transcript/cited-passages.ts'
import type { TranscriptLine } from '../../parts/transcript/transcript-line.ts'

type TranscriptSource = Pick<
  Chat,
  'messages' | 'startedAt' | 'agentPath' | 'agentId' | 'agentName' | 'retrievedPassages'
>

interface LineContext {
  readonly chat: TranscriptSource
  /** Tool results in order, by call ID. */
  readonly results: Map<string, ChatMessage[]>
  /** IDs of results that are displayed with their calls. */
  readonly displayedIds: Set<string>
  readonly passages: ReturnType<typeof groupPassagesByMessage>
  /** Returns the name of an agent other than the chat's agent. */
  readonly getAgentName: (agentId: string) => string
  readonly t: Translate
}

/** Converts a chat's messages to a transcript. Merges tool calls with their results. */
export function toChatLines(
  chat: TranscriptSource,
  getAgentName: (agentId: string) => string,
  t: Translate,
): readonly TranscriptLine[] {
  const results = Map.groupBy(
    chat.messages.filter(({ role }) => role === 'tool'),
    ({ tool_call_id: callId }) => callId ?? '',
  )
  const passages = groupPassagesByMessage(chat.messages, chat.retrievedPassages)
  const context: LineContext = { chat, results, displayedIds: new Set(), passages, getAgentName: getAgentName, t }
  const lines = chat.messages.flatMap((message) => toMessageLines(message, context))
  // A result remains separate if its call is older than the stored messages.
  return lines.filter(({ id }) => !context.displayedIds.has(id))
}

function toMessageLines(message: ChatMessage, context: LineContext): TranscriptLine[] {
  const { chat, t } = context
  const { message_id: id, content: text } = message
  const passages = context.passages.get(id)
  const baseLine = {
    id,
    atMs: Math.max(0, Date.parse(message.created_at) - Date.parse(chat.startedAt)),
    isInterrupted: false,
    isIncomplete: message.incomplete,
  }
  switch (message.role) {
    case 'user':
      return [{ ...baseLine, role: 'user', name: t('Customer'), text }]
    case 'system':
      return [{ ...baseLine, role: 'event', name: t('System'), text }]
    case 'tool':
      return [{ ...baseLine, role: 'tool', name: t('Result of {name}', { name: message.name }), text }]
    default: {
      const messageLine: TranscriptLine = {
        ...baseLine,
        role: 'agent',
        name: getSpeaker(message, context),
        text,
        ...(passages !== undefined && { passages }),
      }
      const toolLines = toToolLines(message, baseLine, context)
      return text === '' && toolLines.length > 0 ? toolLines : [messageLine, ...toolLines]
    }
  }
}

type BaseLine = Pick<TranscriptLine, 'id' | 'atMs' | 'isInterrupted'>

function toToolLines(
  { tool_calls: toolCalls }: ChatMessage,
  baseLine: BaseLine,
  { results, displayedIds, t }: LineContext,
) {
  return toolCalls.map((call, index): TranscriptLine => {
    const result = results.get(call.id)?.shift()
    if (result !== undefined) displayedIds.add(result.message_id)
    const { name, arguments: argumentsText } = call.function
    return {
      ...baseLine,
      id: `${baseLine.id} ${index}`,
      role: 'tool',
      name: t('Tool'),
      text: '',
      isIncomplete: false,
      tool: { name, arguments: argumentsText, result: result?.content ?? null, isSuccessful: null, durationMs: null },
    }
  })
}

/** Returns the name of the agent that handled the chat when the message was created. */
function getSpeaker({ created_at: createdAt }: ChatMessage, { chat, getAgentName: nameOf, t }: LineContext): string {
  const agentId = chat.agentPath.findLast((pathEntry) => pathEntry.at <= createdAt)?.agentId ?? chat.agentId
  const name = agentId === chat.agentId ? chat.agentName : nameOf(agentId)
  return name === '' ? t('Agent') : name
}
