import { completeKbConfig, type KbConfig } from '@parley/contract/knowledge-use'

/** Knowledge bases for answers, with their search settings. */
export interface KnowledgeUse {
  /** If empty, nothing is searched. */
  readonly knowledgeBaseIds: readonly string[]
  readonly topK: number
  readonly filterScore: number
}

/** Converts an engine's settings to a knowledge use. */
export function toKnowledgeUse(ids: readonly string[], config: KbConfig): KnowledgeUse {
  return { knowledgeBaseIds: [...new Set(ids)], topK: config.top_k, filterScore: config.filter_score }
}

/** Knowledge use of engines without knowledge bases. */
export const NO_KNOWLEDGE: KnowledgeUse = toKnowledgeUse([], completeKbConfig({}))

/**
 * Returns a flow node's knowledge use. The node's knowledge bases replace the flow's, and each of its settings overrides the
 * flow's setting.
 */
export function getNodeKnowledgeUse(
  flow: KnowledgeUse,
  node: {
    readonly knowledge_base_ids?: readonly string[] | undefined
    readonly kb_config?: Partial<{ readonly [Key in keyof KbConfig]: KbConfig[Key] | undefined }> | undefined
  },
): KnowledgeUse {
  const { knowledge_base_ids: ids = flow.knowledgeBaseIds, kb_config: config } = node
  return {
    knowledgeBaseIds: [...new Set(ids)],
    topK: config?.top_k ?? flow.topK,
    filterScore: config?.filter_score ?? flow.filterScore,
  }
}
