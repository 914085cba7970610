import type { Llm, UpdateLlmBody } from '@parley/contract/llm'
import { getEngineKind } from '@parley/contract/response-engine'
import type { EditTarget, WithEditCount } from '../../kernel/api/edits.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import { type AgentDefinition, getStoredEngineKind } from './agent-definition.ts'
import { type AgentEdits, type AgentEditsDependencies, createAgentEdits } from './agent-edits.ts'
import type { AgentKind, EngineChange, NewEngine, VoiceSelection } from './agent-kind.ts'
import type { Engines, LlmDrafts, LlmEdit } from './agent-ports.ts'

/** Changes to an agent, its LLM configuration or both. */
interface DraftChanges<UpdateBody> {
  readonly agent?: UpdateBody | undefined
  /** Expected `ETag` of the agent. If absent, any state is accepted. */
  readonly agentEtag?: string | null | undefined
  readonly llm?: Omit<UpdateLlmBody, 'workspaceId' | 'version'> | undefined
  readonly llmEtag?: string | null | undefined
}

export interface SavedDraft<AgentResponse> {
  readonly agent: WithEditCount<AgentResponse>
  /** Null if the agent has no LLM configuration. */
  readonly llm: WithEditCount<Llm> | null
  readonly warnings: string[]
}

/** Saves an agent together with its LLM configuration in one transaction. */
export interface AgentDrafts<UpdateBody, AgentResponse> {
  save(
    target: Pick<EditTarget, 'workspaceId' | 'id'>,
    changes: DraftChanges<UpdateBody>,
  ): Promise<SavedDraft<AgentResponse>>
}

interface AgentDraftsDependencies extends AgentEditsDependencies {
  readonly llms: LlmDrafts
}

export function createAgentDrafts<
  Definition extends AgentDefinition & VoiceSelection,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  AgentResponse,
>(
  kind: AgentKind<Definition, CreateBody, UpdateBody, AgentResponse>,
  dependencies: AgentDraftsDependencies,
): AgentDrafts<UpdateBody, AgentResponse> {
  const { database, engines, llms } = dependencies
  const edits = createAgentEdits(kind, dependencies)
  return {
    async save(target, changes) {
      const { workspaceId } = target
      const body = changes.agent ?? ({} as UpdateBody)
      const existing = await edits.find(database.read, { ...target, selector: 'latest' })
      const llmId = resolveLlmId(existing, body)
      const edit = await prepareLlmEdit(llms, { workspaceId, llmId }, changes)
      const problems = await prefixErrorPaths('agent', () => edits.findVoiceProblems(target, body))

      const saved = await database.transaction(async (transaction) => {
        const ifMatch = parseEditCount(changes.agentEtag)
        const current = await edits.findForEdit(transaction, { ...target, ifMatch }, 'latest')
        if (resolveLlmId(current, body) !== llmId) throw createEngineChangedError()
        const describeLlm =
          edit &&
          (await prefixErrorPaths('llm', () => edit.write(transaction, { ifMatch: parseEditCount(changes.llmEtag) })))
        // If the agent follows its LLM, the LLM edit has created the agent's next version, which this edit changes.
        const newestVersion = edit ? await edits.find(transaction, { ...target, selector: 'latest' }) : current
        const movesToNewestEngine = await needsNextVersion(transaction, engines, { newest: newestVersion, changes })
        const agent = await prefixErrorPaths('agent', () =>
          edits.write(transaction, newestVersion, { body, problems, movesToNewestEngine }),
        )
        return { agent, describeLlm }
      })

      return await describeDraft({ edits, llms }, { ...saved, llmId, changes })
    },
  }
}

/** Parses the edit count from an `ETag` such as `"3"`. */
function parseEditCount(etag: string | null | undefined): number | null {
  return etag === null || etag === undefined ? null : Number(etag.replace(/\D/g, ''))
}

/** Returns the id of the agent's LLM configuration after the edit, or `null` if the agent uses another kind of engine. */
function resolveLlmId({ definition, engine }: Versioned<AgentDefinition>, body: EngineChange): string | null {
  const { response_engine: newEngine } = body
  if (newEngine !== undefined) return 'llm_id' in newEngine ? newEngine.llm_id : null
  return getEngineKind(definition.response_engine.type) === 'llm' ? (engine?.id ?? null) : null
}

/** Prepares the edit of the LLM configuration. Returns `null` if the body contains no such edit. */
async function prepareLlmEdit(
  llms: LlmDrafts,
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string | null },
  { llm, llmEtag }: DraftChanges<unknown>,
): Promise<LlmEdit | null> {
  if (llm === undefined && (llmEtag ?? null) === null) return null
  if (llmId === null) {
    throw invalidField(llm === undefined ? 'llmEtag' : 'llm', 'this agent has no LLM configuration')
  }
  return await prefixErrorPaths('llm', () => llms.prepareEdit(workspaceId, llmId, llm ?? {}))
}

/**
 * Whether a frozen agent needs a next version to use the newest engine version. This applies if the LLM configuration is edited
 * or the body sets an engine without a version.
 */
async function needsNextVersion(
  transaction: Transaction,
  engines: Engines,
  { newest, changes }: { readonly newest: Versioned<AgentDefinition>; readonly changes: DraftChanges<EngineChange> },
): Promise<boolean> {
  const { engine, frozen, workspaceId, definition } = newest
  const engineKind = getStoredEngineKind(definition)
  const newEngine = changes.agent?.response_engine
  const followsNewest =
    newEngine === undefined ? changes.llm !== undefined : !('version' in newEngine && newEngine.version !== null)
  if (!frozen || !followsNewest || engineKind === null || engine === null || engine.version === null) return false
  const current = await engines[engineKind].find(transaction, workspaceId, engine.id, 'latest')
  return current !== null && current.version > engine.version
}

interface CommittedDraft<Definition> {
  readonly agent: Versioned<Definition>
  readonly describeLlm: Awaited<ReturnType<LlmEdit['write']>> | null
  readonly llmId: string | null
  readonly changes: DraftChanges<unknown>
}

/** Builds the response after the commit. Includes warnings only about changed resources. */
async function describeDraft<Definition extends AgentDefinition, UpdateBody, AgentResponse>(
  { edits, llms }: { readonly edits: AgentEdits<Definition, UpdateBody, AgentResponse>; readonly llms: LlmDrafts },
  { agent, describeLlm, llmId, changes }: CommittedDraft<Definition>,
): Promise<SavedDraft<AgentResponse>> {
  const saved = await edits.describeSaved(agent)
  const { warnings: allAgentWarnings, ...response } = saved.response
  const agentResponse = { response: response as unknown as AgentResponse, editCount: saved.editCount }
  const agentWarnings = changes.agent === undefined ? [] : allAgentWarnings
  if (describeLlm === null) {
    const llm = llmId === null ? null : await llms.get(agent.workspaceId, llmId, 'latest')
    return { agent: agentResponse, llm, warnings: agentWarnings }
  }
  const { response: llmResponse, editCount } = await describeLlm()
  const { warnings: allLlmWarnings, ...llm } = llmResponse
  const llmWarnings = changes.llm === undefined ? [] : allLlmWarnings
  return { agent: agentResponse, llm: { response: llm, editCount }, warnings: [...agentWarnings, ...llmWarnings] }
}

function createEngineChangedError(): AppError {
  return new AppError('version_conflict', "The agent's engine changed during the save. Reload the agent and try again.")
}

/** Runs the function and prefixes the field paths of its validation errors with `field`. */
async function prefixErrorPaths<Result>(field: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error
    const details = error.details.map(({ path, message }) => ({
      path: path === '' ? field : `${field}.${path}`,
      message,
    }))
    const [firstDetail] = details
    const message =
      firstDetail === undefined ? `${field}: ${error.message}` : `${firstDetail.path}: ${firstDetail.message}`
    throw new AppError('invalid_request', message, { details, cause: error })
  }
}
