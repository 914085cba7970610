import { z } from 'zod'
import { Chat } from './chat.ts'
import { bodyWorkspace, id } from './fields.ts'
import { defineOperation } from './operation.ts'

/** What is found out about chats that are over. */

export const analyseChat = defineOperation({
  name: 'analyseChat',
  method: 'POST',
  path: '/api/chats/{chatId}/analysis',
  tag: 'Chats',
  summary: 'Analyse a chat again',
  description:
    'Every chat is analysed once it is over. This does it again, from what is stored of the chat and by the settings of its ' +
    'agent; `chat_analyzed` is told again. When no model answers, what was known stays.',
  access: 'calls',
  workspace: 'body',
  pathParameters: z.object({ chatId: id().meta({ description: 'The chat, `chat_…`.' }) }),
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'AnalyseChatBody' }),
  status: 200,
  result: Chat,
  errors: ['not_found', 'chat_ongoing', 'chat_not_stored', 'provider_error', 'provider_timeout'],
})
