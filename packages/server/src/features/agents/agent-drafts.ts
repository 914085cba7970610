import type { Llm, UpdateLlmBody } from '@parley/contract/llm'
import { getEngineKind } from '@parley/contract/response-engine'
import type { EditTarget, WithEditCount } from '../../kernel/api/edits.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import { type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import { type AgentEdits, type AgentEditsDependencies, createAgentEdits } from './agent-edits.ts'
import type { AgentKind, EngineChange, NamedVoices, NewEngine } from './agent-kind.ts'
import type { Engines, LlmDrafts, LlmEdit } from './agent-ports.ts'

/** One save changes the agent, its LLM configuration, or both. */
interface DraftChanges<UpdateBody> {
  readonly agent?: UpdateBody | undefined
  /** Known `ETag`s; without one, any state is accepted. */
  readonly agentEtag?: string | null | undefined
  readonly llm?: Omit<UpdateLlmBody, 'workspaceId' | 'version'> | undefined
  readonly llmEtag?: string | null | undefined
}

export interface SavedDraft<Answer> {
  readonly agent: WithEditCount<Answer>
  /** Null when the agent has no LLM configuration. */
  readonly llm: WithEditCount<Llm> | null
  readonly warnings: string[]
}

/** Saves an agent together with its LLM configuration, atomically. */
export interface AgentDrafts<UpdateBody, Answer> {
  save(target: Pick<EditTarget, 'workspaceId' | 'id'>, changes: DraftChanges<UpdateBody>): Promise<SavedDraft<Answer>>
}

interface AgentDraftsDependencies extends AgentEditsDependencies {
  readonly llms: LlmDrafts
}

export function createAgentDrafts<
  Definition extends AgentDefinition & NamedVoices,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  Answer,
>(
  kind: AgentKind<Definition, CreateBody, UpdateBody, Answer>,
  dependencies: AgentDraftsDependencies,
): AgentDrafts<UpdateBody, Answer> {
  const { database, engines, llms } = dependencies
  const edits = createAgentEdits(kind, dependencies)
  return {
    async save(target, changes) {
      const { workspaceId } = target
      const body = changes.agent ?? ({} as UpdateBody)
      const known = await edits.find(database.read, { ...target, selector: 'latest' })
      const llmId = resolveLlmId(known, body)
      const edit = await prepareLlmEdit(llms, { workspaceId, llmId }, changes)
      const problems = await withFieldPath('agent', () => edits.voiceProblems(target, body))

      const written = await database.transaction(async (transaction) => {
        const ifMatch = editCountOf(changes.agentEtag)
        const found = await edits.findForEdit(transaction, { ...target, ifMatch }, 'latest')
        if (resolveLlmId(found, body) !== llmId) throw engineChanged()
        const describeLlm =
          edit && (await withFieldPath('llm', () => edit.write(transaction, { ifMatch: editCountOf(changes.llmEtag) })))
        // A following agent already has its next version here; the edit applies to that one.
        const newest = edit ? await edits.find(transaction, { ...target, selector: 'latest' }) : found
        const follows = await needsNextVersion(transaction, engines, { newest, changes })
        const agent = await withFieldPath('agent', () => edits.write(transaction, newest, { body, problems, follows }))
        return { agent, describeLlm }
      })

      return await describeDraft({ edits, llms }, { ...written, llmId, changes })
    },
  }
}

/** The edit count in an `ETag` such as `"3"`. */
function editCountOf(tag: string | null | undefined): number | null {
  return tag === null || tag === undefined ? null : Number(tag.replace(/\D/g, ''))
}

/** The LLM configuration of an agent after an edit; `null` with other engines. */
function resolveLlmId({ definition, engine }: Versioned<AgentDefinition>, body: EngineChange): string | null {
  const { response_engine: given } = body
  if (given !== undefined) return 'llm_id' in given ? given.llm_id : null
  return getEngineKind(definition.response_engine.type) === 'llm' ? (engine?.id ?? null) : null
}

/** Returns `null` when the body does not mention the configuration. */
async function prepareLlmEdit(
  llms: LlmDrafts,
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string | null },
  { llm, llmEtag }: DraftChanges<unknown>,
): Promise<LlmEdit | null> {
  if (llm === undefined && (llmEtag ?? null) === null) return null
  if (llmId === null) {
    throw invalidField(llm === undefined ? 'llmEtag' : 'llm', 'this agent has no LLM configuration')
  }
  return await withFieldPath('llm', () => llms.prepareEdit(workspaceId, llmId, llm ?? {}))
}

/**
 * Whether a used or published version references an outdated engine version, although its configuration was edited or
 * the body lets it follow. Only a next version can fix that.
 */
async function needsNextVersion(
  transaction: Transaction,
  engines: Engines,
  { newest, changes }: { readonly newest: Versioned<AgentDefinition>; readonly changes: DraftChanges<EngineChange> },
): Promise<boolean> {
  const { engine, frozen, workspaceId, definition } = newest
  const engineKindOfNewest = storedEngineKindOf(definition)
  const given = changes.agent?.response_engine
  const followsNewest =
    given === undefined ? changes.llm !== undefined : !('version' in given && given.version !== null)
  if (!frozen || !followsNewest || engineKindOfNewest === null || engine === null || engine.version === null)
    return false
  const current = await engines[engineKindOfNewest].find(transaction, workspaceId, engine.id, 'latest')
  return current !== null && current.version > engine.version
}

interface CommittedDraft<Definition> {
  readonly agent: Versioned<Definition>
  readonly describeLlm: Awaited<ReturnType<LlmEdit['write']>> | null
  readonly llmId: string | null
  readonly changes: DraftChanges<unknown>
}

/** Runs after the commit. Warnings are about the given fields. */
async function describeDraft<Definition extends AgentDefinition, UpdateBody, Answer>(
  { edits, llms }: { readonly edits: AgentEdits<Definition, UpdateBody, Answer>; readonly llms: LlmDrafts },
  { agent, describeLlm, llmId, changes }: CommittedDraft<Definition>,
): Promise<SavedDraft<Answer>> {
  const written = await edits.describeSaved(agent)
  const { warnings: ofAgent, ...answer } = written.answer
  const described = { answer: answer as unknown as Answer, editCount: written.editCount }
  const agentWarnings = changes.agent === undefined ? [] : ofAgent
  if (describeLlm === null) {
    const llm = llmId === null ? null : await llms.get(agent.workspaceId, llmId, 'latest')
    return { agent: described, llm, warnings: agentWarnings }
  }
  const { answer: llmAnswer, editCount } = await describeLlm()
  const { warnings: ofLlm, ...llm } = llmAnswer
  const llmWarnings = changes.llm === undefined ? [] : ofLlm
  return { agent: described, llm: { answer: llm, editCount }, warnings: [...agentWarnings, ...llmWarnings] }
}

function engineChanged(): AppError {
  return new AppError(
    'version_conflict',
    'The agent got another engine during the save. Read it again and repeat the change.',
  )
}

/** Prefixes the paths of errors with the part of the body. */
async function withFieldPath<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error
    const details = error.details.map(({ path, message }) => ({
      path: path === '' ? field : `${field}.${path}`,
      message,
    }))
    const [first] = details
    const message = first === undefined ? `${field}: ${error.message}` : `${first.path}: ${first.message}`
    throw new AppError('invalid_request', message, { details, cause: error })
  }
}
