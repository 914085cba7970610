import { completeKbConfig, type KbConfig } from '@parley/contract/knowledge-use'

/** Which knowledge bases answers draw on, and how. */
export interface KnowledgeUse {
  /** None: there is nothing but the instructions. */
  readonly knowledgeBaseIds: readonly string[]
  readonly topK: number
  readonly filterScore: number
}

/** As an engine is configured. */
export function knowledgeUse(ids: readonly string[], config: KbConfig): KnowledgeUse {
  return { knowledgeBaseIds: [...new Set(ids)], topK: config.top_k, filterScore: config.filter_score }
}

/** Of an engine that names no knowledge base. */
export const NO_KNOWLEDGE: KnowledgeUse = knowledgeUse([], completeKbConfig({}))

/** At a node of a flow: its own knowledge bases take the place of the flow's, its settings one by one. */
export function nodeKnowledgeUse(
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
