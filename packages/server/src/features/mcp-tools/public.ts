export { registerMcpToolsRoutes } from './mcp-tools-routes.ts'
export { createMcpToolsService, type McpToolsDependencies } from './mcp-tools-service.ts'
