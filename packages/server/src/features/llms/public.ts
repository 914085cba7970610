/** What the rest of the server may use of this feature. */

export { createLlmAgentRemoval } from './llm-agent-removal.ts'
export { createLlmKnowledgeRemoval } from './llm-knowledge-removal.ts'
export { registerLlmRoutes } from './llm-routes.ts'
export { createLlmService, type LlmService } from './llm-service.ts'
export { createLlmSource } from './llm-source.ts'
