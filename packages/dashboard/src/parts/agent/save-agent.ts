import type { Llm } from '@parley/contract/llm'
import { Problem } from '../../lib/api/problem.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import type { AgentApi, AgentTarget, AnyAgent, DraftToSave, SavedDraft } from './agent-kind.ts'
import { hasOnlyBeenPublished, hasOnlyFollowed } from './own-follow.ts'

export type SaveOutcome<Value extends AnyAgent> =
  | ({ readonly type: 'saved' } & SavedDraft<Value>)
  /** Somebody else has saved meanwhile: what they made of each record, null for one that they left alone. */
  | { readonly type: 'conflict'; readonly agent: Snapshot<Value> | null; readonly llm: Snapshot<Llm> | null }

export interface DraftRecord<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
  readonly readNewestLlm?: typeof readLlm
}

/** Versions that only followed or were published are no edits of anybody: so often a save is repeated on top of them. */
const ATTEMPTS = 3

/** Saves the edits of an agent and of the LLM configuration that it answers with: both or neither. Throws a `Problem`. */
export async function saveDraft<Value extends AnyAgent>(
  { api, target, readNewestLlm = readLlm }: DraftRecord<Value>,
  sent: DraftToSave<Value>,
): Promise<SaveOutcome<Value>> {
  let { agent, llm } = sent
  for (let attempt = 1; ; attempt++) {
    try {
      return { type: 'saved', ...(await api.saveDraft(target, { agent, llm })) }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'version_conflict') throw error
      const newest = {
        agent: agent && snapshotOf(await api.read(target, 'latest')),
        llm: llm && snapshotOf(await readNewestLlm({ ...target, llmId: llm.base.value.llm_id })),
      }
      const theirs = {
        agent: agent && newest.agent && !hasOnlyFollowed(agent.base.value, newest.agent.value) ? newest.agent : null,
        llm: llm && newest.llm && !hasOnlyBeenPublished(llm.base.value, newest.llm.value) ? newest.llm : null,
      }
      if (theirs.agent !== null || theirs.llm !== null) return { type: 'conflict', ...theirs }
      if (attempt === ATTEMPTS) throw error
      agent = agent && newest.agent && { ...agent, base: newest.agent }
      llm = llm && newest.llm && { ...llm, base: newest.llm }
    }
  }
}

const snapshotOf = <Value>({ value, etag }: Answer<Value>): Snapshot<Value> => ({ value, etag })

export async function readLlm(
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string },
  signal?: AbortSignal,
): Promise<Answer<Llm>> {
  const parts = { path: { llmId }, query: { workspaceId, version: 'latest' } } as const
  return await request('getLlm', parts, { ...(signal && { signal }) })
}

type PartOfBody = 'agent' | 'llm'

/** Why a save failed, for the record that it is about, with paths as the fields of that are named. */
export function problemOfPart(problem: Problem | null, part: PartOfBody): Problem | null {
  if (problem === null) return null
  // What is about no field is told once.
  if (problem.details.length === 0) return part === 'agent' ? problem : null
  const prefix = `${part}.`
  const details = problem.details.flatMap(({ path, message }) => {
    if (path.startsWith(prefix)) return [{ path: path.slice(prefix.length), message }]
    return part === 'agent' && !path.startsWith('llm.') ? [{ path, message }] : []
  })
  const [first] = details
  if (first === undefined) return null
  return new Problem(`${first.path}: ${first.message}`, { ...problem, details })
}
