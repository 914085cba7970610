export { createLlmAgentRemoval, createLlmKnowledgeRemoval } from './llm-reference-removal.ts'
export { registerLlmRoutes } from './llm-routes.ts'
export { createLlmService, type LlmService } from './llm-service.ts'
export { createLlmSource } from './llm-source.ts'
