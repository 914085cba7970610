import { analyseChat } from '@parley/contract/chat-analysis'
import { type Api, implement } from '../../../kernel/api/implement.ts'
import type { ChatAnalysisService } from './chat-analysis-service.ts'

/** Mounts the operation that analyses a chat again. Who goes away meanwhile finds it analysed later. */
export function registerChatAnalysisRoutes(api: Api, service: ChatAnalysisService): void {
  implement(api, analyseChat)(async ({ path }, { workspaceId }) => await service.analyze(workspaceId, path.chatId))
}
