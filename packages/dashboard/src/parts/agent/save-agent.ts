import type { Llm } from '@parley/contract/llm'
import { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, request } from '../../lib/api/request.ts'
import { VERSION_FIELDS } from '../../lib/difference.ts'
import { listChangedFields, type Snapshot } from '../../lib/editing/draft-state.ts'
import type { AgentApi, AgentTarget, AnyAgent, DraftToSave, SavedDraft } from './agent-api.ts'

export type SaveOutcome<Value extends AnyAgent> =
  | ({ readonly type: 'saved' } & SavedDraft<Value>)
  /** The stored records after a concurrent save; null for a record without a conflict. */
  | { readonly type: 'conflict'; readonly agent: Snapshot<Value> | null; readonly llm: Snapshot<Llm> | null }

export interface SaveContext<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
  readonly readLatestLlm?: typeof readLlm
}

/** Maximum number of save attempts when concurrent saves change only the version. */
const MAX_ATTEMPTS = 3

/** Saves the edits to an agent and its LLM configuration atomically. Throws a `Problem` on failure. */
export async function saveDraft<Value extends AnyAgent>(
  { api, target, readLatestLlm = readLlm }: SaveContext<Value>,
  draft: DraftToSave<Value>,
): Promise<SaveOutcome<Value>> {
  let { agent, llm } = draft
  for (let attempt = 1; ; attempt++) {
    try {
      return { type: 'saved', ...(await api.saveDraft(target, { agent, llm })) }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'version_conflict') throw error
      const latestRecords = {
        agent: agent && toSnapshot(await api.read(target, 'latest')),
        llm: llm && toSnapshot(await readLatestLlm({ ...target, llmId: llm.base.value.llm_id })),
      }
      const conflicts = {
        agent:
          agent && latestRecords.agent && !hasOnlyVersionChanges(agent.base.value, latestRecords.agent.value)
            ? latestRecords.agent
            : null,
        llm:
          llm && latestRecords.llm && !hasOnlyLlmVersionChanges(llm.base.value, latestRecords.llm.value)
            ? latestRecords.llm
            : null,
      }
      if (conflicts.agent !== null || conflicts.llm !== null) return { type: 'conflict', ...conflicts }
      if (attempt === MAX_ATTEMPTS) throw error
      agent = agent && latestRecords.agent && { ...agent, base: latestRecords.agent }
      llm = llm && latestRecords.llm && { ...llm, base: latestRecords.llm }
    }
  }
}

const toSnapshot = <Value>({ value, etag }: ApiResponse<Value>): Snapshot<Value> => ({ value, etag })

export async function readLlm(
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string },
  signal?: AbortSignal,
): Promise<ApiResponse<Llm>> {
  const params = { path: { llmId }, query: { workspaceId, version: 'latest' } } as const
  return await request('getLlm', params, { ...(signal && { signal }) })
}

type RecordName = 'agent' | 'llm'

/** Extracts the errors of one record from a failed save, with paths relative to that record. */
export function extractRecordProblem(problem: Problem | null, recordName: RecordName): Problem | null {
  if (problem === null) return null
  // A problem without details belongs to no field, so it is reported once, on the agent.
  if (problem.details.length === 0) return recordName === 'agent' ? problem : null
  const prefix = `${recordName}.`
  const details = problem.details.flatMap(({ path, message }) => {
    if (path.startsWith(prefix)) return [{ path: path.slice(prefix.length), message }]
    return recordName === 'agent' && !path.startsWith('llm.') ? [{ path, message }] : []
  })
  const [firstDetail] = details
  if (firstDetail === undefined) return null
  return new Problem(`${firstDetail.path}: ${firstDetail.message}`, { ...problem, details })
}

/** Fields that change when an agent's engine gets a new version. */
const ENGINE_VERSION_FIELDS: ReadonlySet<string> = new Set([...VERSION_FIELDS, 'responsiveness', 'response_engine'])

/** Whether an agent was only published, activated, or moved to a new engine version, so saving overwrites no edits. */
export function hasOnlyVersionChanges(base: AnyAgent, latest: AnyAgent): boolean {
  const fields = listChangedFields<object>(base, latest).map(String)
  return fields.every((field) => ENGINE_VERSION_FIELDS.has(field)) && isSameEngine(base, latest)
}

function isSameEngine(base: AnyAgent, latest: AnyAgent): boolean {
  const { version: _baseVersion, ...baseEngine } = base.response_engine
  const { version: _latestVersion, ...latestEngine } = latest.response_engine
  return listChangedFields<object>(baseEngine, latestEngine).length === 0
}

function hasOnlyLlmVersionChanges(base: Llm, latest: Llm): boolean {
  return listChangedFields<object>(base, latest).every((field) => VERSION_FIELDS.has(String(field)))
}
