import type { Llm } from '@parley/contract/llm'
import { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, request } from '../../lib/api/request.ts'
import { VERSION_FIELDS } from '../../lib/difference.ts'
import { changedFields, type Snapshot } from '../../lib/editing/draft-state.ts'
import type { AgentApi, AgentTarget, AnyAgent, DraftToSave, SavedDraft } from './agent-api.ts'

export type SaveOutcome<Value extends AnyAgent> =
  | ({ readonly type: 'saved' } & SavedDraft<Value>)
  /** The stored records after a concurrent save; null for a record without a conflict. */
  | { readonly type: 'conflict'; readonly agent: Snapshot<Value> | null; readonly llm: Snapshot<Llm> | null }

export interface DraftRecord<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
  readonly readNewestLlm?: typeof readLlm
}

/** Saves on top of versions without edits are retried. */
const MAX_ATTEMPTS = 3

/** Saves the edits of an agent and of its LLM configuration, both or neither. Throws a `Problem`. */
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
        agent:
          agent && newest.agent && !isOnlyVersionChange(agent.base.value, newest.agent.value) ? newest.agent : null,
        llm: llm && newest.llm && !hasOnlyBeenPublished(llm.base.value, newest.llm.value) ? newest.llm : null,
      }
      if (theirs.agent !== null || theirs.llm !== null) return { type: 'conflict', ...theirs }
      if (attempt === MAX_ATTEMPTS) throw error
      agent = agent && newest.agent && { ...agent, base: newest.agent }
      llm = llm && newest.llm && { ...llm, base: newest.llm }
    }
  }
}

const snapshotOf = <Value>({ value, etag }: ApiResponse<Value>): Snapshot<Value> => ({ value, etag })

export async function readLlm(
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string },
  signal?: AbortSignal,
): Promise<ApiResponse<Llm>> {
  const parts = { path: { llmId }, query: { workspaceId, version: 'latest' } } as const
  return await request('getLlm', parts, { ...(signal && { signal }) })
}

type PartOfBody = 'agent' | 'llm'

/** The part of a failed save that concerns one record, with paths relative to it. */
export function problemOfPart(problem: Problem | null, part: PartOfBody): Problem | null {
  if (problem === null) return null
  // Problems without a field are shown once.
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

/** Fields that change when the engine of an agent gets a new version. */
const FOLLOWING_FIELDS: ReadonlySet<string> = new Set([...VERSION_FIELDS, 'responsiveness', 'response_engine'])

/** Whether an agent was only published, activated or moved to a new engine version, so that edits overwrite no other edits. */
export function isOnlyVersionChange(base: AnyAgent, newest: AnyAgent): boolean {
  const fields = changedFields<object>(base, newest).map(String)
  return fields.every((field) => FOLLOWING_FIELDS.has(field)) && isSameEngine(base, newest)
}

function isSameEngine(base: AnyAgent, newest: AnyAgent): boolean {
  const { version: _before, ...before } = base.response_engine
  const { version: _after, ...after } = newest.response_engine
  return changedFields<object>(before, after).length === 0
}

function hasOnlyBeenPublished(base: Llm, newest: Llm): boolean {
  return changedFields<object>(base, newest).every((field) => VERSION_FIELDS.has(String(field)))
}
