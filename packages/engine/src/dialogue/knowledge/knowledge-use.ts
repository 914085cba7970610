import { completeKbConfig, type KbConfig } from '@parley/contract/knowledge-use'

/** Knowledge bases of answers and how to search them. */
export interface KnowledgeUse {
  /** Empty: no search. */
  readonly knowledgeBaseIds: readonly string[]
  readonly topK: number
  readonly filterScore: number
}

/** Converts an engine's settings. */
export function knowledgeUse(ids: readonly string[], config: KbConfig): KnowledgeUse {
  return { knowledgeBaseIds: [...new Set(ids)], topK: config.top_k, filterScore: config.filter_score }
}

/** For engines without knowledge bases. */
export const NO_KNOWLEDGE: KnowledgeUse = knowledgeUse([], completeKbConfig({}))

/** For a flow node: its knowledge bases replace the flow's, its settings override the flow's one by one. */
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
