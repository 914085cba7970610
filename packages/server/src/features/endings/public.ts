/** What the rest of the server may use of this feature. */

export { createAfterCalls } from './calls/after-calls.ts'
export { registerCallAnalysisRoutes } from './calls/call-analysis-routes.ts'
export { type CallEndings, createCallEndings } from './calls/call-endings.ts'
export { createCallTelling } from './calls/tell-call.ts'
export { type AfterChats, createAfterChats } from './chats/after-chats.ts'
export { loadChatAgents } from './chats/chat-agents.ts'
export { registerChatAnalysisRoutes } from './chats/chat-analysis-routes.ts'
export { type ChatEndings, createChatEndings } from './chats/chat-endings.ts'
export { webhooksOf } from './policy/holding-agents.ts'
export { readPolicy, type StoragePolicy } from './policy/storage-policy.ts'
export {
  performRedaction,
  RedactionFailedError,
  type RedactionResult,
  type RedactionRunner,
  type RedactionTask,
  redact,
  redactOrWithhold,
} from './redaction-tasks.ts'
