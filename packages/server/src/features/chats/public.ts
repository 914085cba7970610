/** What the rest of the server may use of this feature. */

export type { ChatEvents } from './chat-events.ts'
export { registerChatRoutes } from './chat-routes.ts'
export { type ChatService, createChatService } from './chat-service.ts'
export { findChat } from './chat-store.ts'
export { type CompletionDependencies, CompletionService } from './completion-service.ts'
export { recoverTurns } from './failover/abandoned-turns.ts'
export { actionRecord, transitionRecord } from './record-messages.ts'
