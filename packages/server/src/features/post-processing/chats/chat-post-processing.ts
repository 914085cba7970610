import type { Chat } from '@parley/contract/chat'
import type { MakeId } from '@parley/engine/ports'
import type { JobHandler, JobSchedule } from '../../../kernel/work/jobs.ts'
import { type ChatAnalysisService, createChatAnalysisService } from './chat-analysis-service.ts'
import type { ChatLifecycle } from './chat-lifecycle.ts'
import { createDueChats } from './due-chats.ts'
import { CHAT_ENDED, createFinalizeHandler, type FinalizeJobDependencies } from './finalize-chat.ts'

export interface ChatPostProcessingDependencies extends FinalizeJobDependencies {
  readonly makeId: MakeId
  readonly lifecycle: Pick<ChatLifecycle, 'ended'>
  /** The whole chat as answers carry it. */
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

/** All work that is done about chats once they are over, and the look for those that are to end. */
export interface ChatPostProcessing {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  readonly analysisService: ChatAnalysisService
}

export function createChatPostProcessing(dependencies: ChatPostProcessingDependencies): ChatPostProcessing {
  const due = createDueChats(dependencies)
  return {
    handlers: { [CHAT_ENDED]: createFinalizeHandler(dependencies), ...due.handlers },
    schedules: due.schedules,
    analysisService: createChatAnalysisService(dependencies),
  }
}
