export { type AgentBinding, createAgentBinding } from './agent-binding.ts'
export { checkModels, type UsableModels } from './agent-checks.ts'
export { createAgentDrafts } from './agent-drafts.ts'
export { createAgentFollowers } from './agent-followers.ts'
export { CHAT_AGENT, VOICE_AGENT } from './agent-kind.ts'
export type { AgentRemoval } from './agent-ports.ts'
export { createAgentResolver } from './agent-resolver.ts'
export { registerAgentDraftRoutes, registerAgentRoutes, registerChatAgentRoutes } from './agent-routes.ts'
export { createAgentService } from './agent-service.ts'
export { findAgentsWithVoice } from './agent-store.ts'
export { createAgentLoader, createMcpServerFinder } from './load-engine.ts'
export type {
  AgentPin,
  AgentResolver,
  PinnedAgent,
  PostProcessingSettings,
  StoredPin,
} from './pinned-agent.ts'
