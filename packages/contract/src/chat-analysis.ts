import { z } from 'zod'
import { Chat } from './chat.ts'
import { bodyWorkspace, id } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Analysis of chats that have ended. */

export const analyseChat = defineOperation({
  name: 'analyseChat',
  method: 'POST',
  path: '/api/chats/{chatId}/analysis',
  tag: 'Chats',
  summary: 'Analyze a chat again',
  description:
    'Repeats the analysis of a chat that has ended, with the stored data and the settings of its agent, and ' +
    'sends `chat_analyzed` again. If no model responds, the previous results are kept.',
  access: 'calls',
  pathParameters: z.object({ chatId: id().meta({ description: 'ID of the chat (`chat_…`).' }) }),
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'AnalyseChatBody' }),
  result: Chat,
  errors: ['chat_ongoing', 'chat_not_stored', 'provider_error', 'provider_timeout'],
})
