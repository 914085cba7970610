import type { Chat } from '@parley/contract/chat'
import type { MakeId } from '@parley/engine/ports'
import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import { type ChatAnalysisService, createChatAnalysisService } from './chat-analysis-service.ts'
import type { ChatEndings } from './chat-endings.ts'
import { createDueChats } from './due-chats.ts'
import { CHAT_ENDED, createSettleHandler, type SettleJobDependencies } from './settle-chat.ts'

export interface AfterChatsDependencies extends SettleJobDependencies {
  readonly makeId: MakeId
  readonly endings: Pick<ChatEndings, 'ended'>
  /** The whole chat as answers carry it. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** All work that is done about chats once they are over, and the look for those that are to end. */
export interface AfterChats {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analyses: ChatAnalysisService
}

export function createAfterChats(dependencies: AfterChatsDependencies): AfterChats {
  const due = createDueChats(dependencies)
  return {
    handlers: { [CHAT_ENDED]: createSettleHandler(dependencies), ...due.handlers },
    schedules: due.schedules,
    analyses: createChatAnalysisService(dependencies),
  }
}
