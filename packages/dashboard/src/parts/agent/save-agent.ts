import type { Llm } from '@parley/contract/llm'
import { Problem } from '../../lib/api/problem.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { llmFields } from './agent-body.ts'
import type { AgentApi, AgentTarget, AnyAgent } from './agent-kind.ts'
import { isBehind } from './engine.ts'
import { hasOnlyBeenPublished, hasOnlyFollowed } from './own-follow.ts'

/** What one save has done so far. */
export interface SaveRun {
  /** Version of the LLM configuration that this save wrote; null for none. */
  llmVersion: number | null
  readonly warnings: string[]
}

export interface LlmTarget {
  readonly workspaceId: number
  readonly llmId: string
}

type Written<Value> = Value & { readonly warnings: readonly string[] }

interface Attempt<Value extends object> {
  readonly base: Snapshot<Value>
  readonly write: (etag: string | null) => Promise<Answer<Written<Value>>>
  readonly read: () => Promise<Snapshot<Value>>
  /** Whether what changed meanwhile was no edit of anybody. */
  readonly isUnchanged: (known: Value, newest: Value) => boolean
}

/** Writes on top of the known state, or of a newer one that holds the same settings. */
async function writeUnlessEdited<Value extends object>(
  { base, write, read, isUnchanged }: Attempt<Value>,
  run: SaveRun,
): Promise<Snapshot<Value>> {
  try {
    return snapshotOf(await write(base.etag), run)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'version_conflict') throw error
    const newest = await read()
    if (newest.etag === base.etag || !isUnchanged(base.value, newest.value)) throw error
    return snapshotOf(await write(newest.etag), run)
  }
}

function snapshotOf<Value extends object>({ value, etag }: Answer<Written<Value>>, run: SaveRun): Snapshot<Value> {
  run.warnings.push(...value.warnings)
  return { value: withoutWarnings(value), etag }
}

/** An answer of a write as reads tell it. */
function withoutWarnings<Value extends object>(written: Written<Value>): Value {
  const { warnings: _told, ...record } = written
  return record as object as Value
}

export async function readLlm({ workspaceId, llmId }: LlmTarget, signal?: AbortSignal): Promise<Answer<Llm>> {
  const parts = { path: { llmId }, query: { workspaceId, version: 'latest' } } as const
  return await request('getLlm', parts, { ...(signal && { signal }) })
}

/** Saves edits of an LLM configuration. */
export async function saveLlm(
  target: LlmTarget,
  { base, edits }: { readonly base: Snapshot<Llm>; readonly edits: Partial<Llm> },
  run: SaveRun,
): Promise<Snapshot<Llm>> {
  const { workspaceId, llmId } = target
  const saved = await writeUnlessEdited<Llm>(
    {
      base,
      write: (etag) =>
        request('updateLlm', { path: { llmId }, body: { workspaceId, ...llmFields(edits) } }, { ifMatch: etag }),
      read: () => readLlm(target),
      isUnchanged: hasOnlyBeenPublished,
    },
    run,
  )
  run.llmVersion = saved.value.version
  return saved
}

export interface AgentRecord<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly target: AgentTarget
}

/** Saves edits of an agent. */
export async function saveAgent<Value extends AnyAgent>(
  { api, target }: AgentRecord<Value>,
  { base, edits }: { readonly base: Snapshot<Value>; readonly edits: Partial<Value> },
  run: SaveRun,
): Promise<Snapshot<Value>> {
  const saved = await writeUnlessEdited<Value>(
    {
      base,
      write: (etag) => api.update(target, edits, etag),
      read: () => api.read(target, 'latest'),
      isUnchanged: hasOnlyFollowed,
    },
    run,
  )
  return edits.response_engine?.version === null ? await makeFollowing({ api, target }, saved) : saved
}

/**
 * Gives an agent the newest version of its engine. A version that was used or published stands on one version of its engine for
 * good, and saving the same settings again makes no next one: pinning the engine does, and the draft lets go of the pin.
 */
async function makeFollowing<Value extends AnyAgent>(
  { api, target }: AgentRecord<Value>,
  { value, etag }: Snapshot<Value>,
): Promise<Snapshot<Value>> {
  const engine = value.response_engine
  if (!value.is_frozen || engine.version === null) return { value, etag }
  const pinned = await api.update(target, { response_engine: engine } as Partial<Value>, etag)
  const following = { response_engine: { ...engine, version: null } } as Partial<Value>
  const followed = await api.update(target, following, pinned.etag)
  return { value: withoutWarnings<Value>(followed.value), etag: followed.etag }
}

/** After an LLM configuration was saved: an agent that would stay on the version before, since that was published, gets its next version. */
export async function followLlm<Value extends AnyAgent>(record: AgentRecord<Value>, llmVersion: number): Promise<void> {
  const newest = await record.api.read(record.target, 'latest')
  if (isBehind(newest.value.response_engine, llmVersion)) await makeFollowing(record, newest)
}
