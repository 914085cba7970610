export { registerCallAnalysisRoutes } from './calls/call-analysis-service.ts'
export { type CallLifecycle, createCallLifecycle } from './calls/call-lifecycle.ts'
export { createCallPostProcessing } from './calls/call-post-processing.ts'
export { createWebhookCallReader } from './calls/redact-stored-call.ts'
export { loadChatAgents } from './chats/analyze-chat.ts'
export { registerChatAnalysisRoutes } from './chats/chat-analysis-service.ts'
export { type ChatLifecycle, createChatLifecycle } from './chats/chat-lifecycle.ts'
export { type ChatPostProcessing, createChatPostProcessing } from './chats/due-chats.ts'
export { listNotifiedWebhooks } from './policy/plan-post-processing.ts'
export { parsePolicy, type StoragePolicy } from './policy/storage-policy.ts'
export {
  performRedaction,
  RedactionFailedError,
  type RedactionResult,
  type RedactionRunner,
  type RedactionTask,
  redact,
  redactOrOmit,
} from './redaction-tasks.ts'
