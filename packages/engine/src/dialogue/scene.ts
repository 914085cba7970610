import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import type { OfferedTool } from './tools/offered-tools.ts'

/** What a model is given in a state of an `llm` engine or at a node of a flow. */
export interface Scene {
  /** System prompt with unrendered `{{variables}}`. Blank: a default prompt. */
  readonly instructions: string
  readonly tools: readonly OfferedTool[]
  /** MCP servers of the scene's tools. */
  readonly mcps: readonly McpServerSetting[]
  /** Configured name, tried before the agent's fallback models. */
  readonly model: string
  readonly temperature: number | null
  readonly knowledge: KnowledgeUse
}
