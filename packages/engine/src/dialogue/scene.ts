import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import type { OfferedTool } from './tools/offered-tools.ts'

/** A model's input in a state of an `llm` engine or at a node of a flow. */
export interface Scene {
  /** System prompt with unrendered `{{variables}}`. A default prompt replaces a blank one. */
  readonly instructions: string
  readonly tools: readonly OfferedTool[]
  /** MCP servers that provide the scene's tools. */
  readonly mcps: readonly McpServerSetting[]
  /** Configured model name, tried before the agent's fallback models. */
  readonly model: string
  readonly temperature: number | null
  readonly knowledge: KnowledgeUse
}
