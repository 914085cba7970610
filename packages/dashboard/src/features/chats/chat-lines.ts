import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { Text } from '../../lib/language.ts'
import { passagesOfMessages } from '../../parts/transcript/cited-passages.ts'
import type { TranscriptLine } from '../../parts/transcript/transcript-line.ts'

type ChatText = Pick<Chat, 'messages' | 'startedAt' | 'agentPath' | 'agentId' | 'agentName' | 'retrievedPassages'>

interface Surroundings {
  readonly chat: ChatText
  readonly results: Map<string, ChatMessage[]>
  readonly passages: ReturnType<typeof passagesOfMessages>
  /** What another agent than the chat's own is called. */
  readonly nameOf: (agentId: string) => string
  readonly t: Text
}

/** The messages of a chat as lines to be read: results stand with the tools that gave them. */
export function chatLines(chat: ChatText, nameOf: (agentId: string) => string, t: Text): readonly TranscriptLine[] {
  const results = new Map<string, ChatMessage[]>()
  for (const message of chat.messages) {
    const { role, tool_call_id: callId } = message
    if (role === 'tool' && callId !== null) results.set(callId, [...(results.get(callId) ?? []), message])
  }
  const passages = passagesOfMessages(chat.messages, chat.retrievedPassages)
  const shown = new Set<string>()
  const lines = chat.messages.flatMap((message) => messageLines(message, { chat, results, passages, nameOf, t }, shown))
  // An answer whose call was cut off with the oldest messages.
  return lines.filter(({ id }) => !shown.has(id))
}

function messageLines(message: ChatMessage, surroundings: Surroundings, shown: Set<string>): TranscriptLine[] {
  const { chat, results, t } = surroundings
  const passages = surroundings.passages.get(message.message_id)
  const plain = {
    id: message.message_id,
    atMs: Math.max(0, Date.parse(message.created_at) - Date.parse(chat.startedAt)),
    isInterrupted: false,
    isIncomplete: message.incomplete,
  }
  if (message.role === 'user') return [{ ...plain, role: 'user', name: t('Customer'), text: message.content }]
  if (message.role === 'system') return [{ ...plain, role: 'event', name: t('System'), text: message.content }]
  if (message.role === 'tool') {
    return [{ ...plain, role: 'tool', name: t('Answer of {name}', { name: message.name }), text: message.content }]
  }
  const said: TranscriptLine = {
    ...plain,
    role: 'agent',
    name: speakerOf(message, surroundings),
    text: message.content,
    ...(passages !== undefined && { passages }),
  }
  const tools = message.tool_calls.map((call, at): TranscriptLine => {
    const result = results.get(call.id)?.shift()
    if (result !== undefined) shown.add(result.message_id)
    return {
      ...plain,
      id: `${plain.id} ${at}`,
      role: 'tool',
      name: t('Tool'),
      text: '',
      isIncomplete: false,
      tool: {
        name: call.function.name,
        arguments: call.function.arguments,
        result: result?.content ?? null,
        isSuccessful: null,
        durationMs: null,
      },
    }
  })
  return said.text === '' && tools.length > 0 ? tools : [said, ...tools]
}

/** Who held the chat when a message was written. */
function speakerOf({ created_at: at }: ChatMessage, { chat, nameOf, t }: Surroundings): string {
  const holder = chat.agentPath.findLast((step) => step.at <= at)?.agentId ?? chat.agentId
  const name = holder === chat.agentId ? chat.agentName : nameOf(holder)
  return name === '' ? t('Agent') : name
}
