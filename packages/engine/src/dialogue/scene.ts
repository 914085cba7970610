import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import type { OfferedTool } from './tools/offered-tools.ts'

/** What a model is asked with at one place of a conversation: in an `llm` engine's state or a flow's node. */
export interface Scene {
  /** System prompt; its `{{variables}}` are rendered when a request is made. Blank: a general one. */
  readonly instructions: string
  readonly tools: readonly OfferedTool[]
  /** Servers that `mcp` tools of the scene name. */
  readonly mcps: readonly McpServerSetting[]
  /** As configured; resolved through `ResolveModel`. The agent's fallback models come after it. */
  readonly model: string
  readonly temperature: number | null
  readonly knowledge: KnowledgeUse
}
