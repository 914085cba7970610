/** What the rest of the server may use of this feature. */

export { registerCallAnalysisRoutes } from './calls/call-analysis-routes.ts'
export { type CallLifecycle, createCallLifecycle } from './calls/call-lifecycle.ts'
export { createCallPostProcessing } from './calls/call-post-processing.ts'
export { createWebhookCallReader } from './calls/webhook-call.ts'
export { loadChatAgents } from './chats/chat-agents.ts'
export { registerChatAnalysisRoutes } from './chats/chat-analysis-routes.ts'
export { type ChatLifecycle, createChatLifecycle } from './chats/chat-lifecycle.ts'
export { type ChatPostProcessing, createChatPostProcessing } from './chats/chat-post-processing.ts'
export { webhooksOf } from './policy/conversation-agents.ts'
export { readPolicy, type StoragePolicy } from './policy/storage-policy.ts'
export {
  performRedaction,
  RedactionFailedError,
  type RedactionResult,
  type RedactionRunner,
  type RedactionTask,
  redact,
  redactOrOmit,
} from './redaction-tasks.ts'
