/** What the rest of the server may use of this feature. */

export { registerComponentRoutes } from './component-routes.ts'
export { createComponentService } from './component-service.ts'
export { createFlowAgentRemoval } from './flow-agent-removal.ts'
export { createFlowKnowledgeRemoval } from './flow-knowledge-removal.ts'
export { registerFlowRoutes } from './flow-routes.ts'
export { createFlowService, type FlowService } from './flow-service.ts'
export { createFlowSource } from './flow-source.ts'
