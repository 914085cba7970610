import type { Llm } from '@parley/contract/llm'
import type { Answer } from '../../lib/api/request.ts'
import { llmFields } from './agent-body.ts'
import type { DraftToSave, SavedDraft } from './agent-kind.ts'

/** What the bodies that save a draft have in common: the tags of what was edited, and the edits of the configuration. */
export function draftFields({ agent, llm }: DraftToSave<object>) {
  return {
    agentEtag: agent?.base.etag,
    ...(llm && { llm: llmFields(llm.edits) }),
    llmEtag: llm?.base.etag,
  }
}

/** The answer as both records are read. */
export function savedDraft<Value>({
  value,
}: Answer<{
  readonly agent: Value
  readonly agentEtag: string
  readonly llm: Llm | null
  readonly llmEtag: string | null
  readonly warnings: readonly string[]
}>): SavedDraft<Value> {
  const { agent, agentEtag, llm, llmEtag, warnings } = value
  return { agent: { value: agent, etag: agentEtag }, llm: llm && { value: llm, etag: llmEtag }, warnings }
}
