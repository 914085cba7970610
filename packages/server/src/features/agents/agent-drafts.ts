import type { Llm, UpdateLlmBody } from '@parley/contract/llm'
import { engineKind } from '@parley/contract/response-engine'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import { type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import { type AgentEdits, type AgentEditsDependencies, createAgentEdits } from './agent-edits.ts'
import type { AgentKind, EngineChange, NamedVoices, NewEngine } from './agent-kind.ts'
import type { Engines, LlmDrafts, LlmEdit } from './agent-ports.ts'

/** What one save changes: of the agent, of the LLM configuration that it answers with, or of both. */
export interface DraftChanges<UpdateBody> {
  readonly agent?: UpdateBody | undefined
  /** `ETag`s that the caller knows; nothing takes any state. */
  readonly agentEtag?: string | null | undefined
  readonly llm?: Omit<UpdateLlmBody, 'workspaceId' | 'version'> | undefined
  readonly llmEtag?: string | null | undefined
}

export interface SavedDraft<Answer> {
  readonly agent: WithEditCount<Answer>
  /** Null where the agent answers with no LLM configuration. */
  readonly llm: WithEditCount<Llm> | null
  readonly warnings: string[]
}

/** Saves an agent together with the LLM configuration that it answers with: both or neither. */
export interface AgentDrafts<UpdateBody, Answer> {
  save(
    target: { readonly workspaceId: number; readonly agentId: string },
    changes: DraftChanges<UpdateBody>,
  ): Promise<SavedDraft<Answer>>
}

export interface AgentDraftsDependencies extends AgentEditsDependencies {
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
      // A body without a field changes nothing.
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
        // An agent that follows has its next version by now: the edit goes on top of that.
        const newest = edit ? await edits.find(transaction, { ...target, selector: 'latest' }) : found
        const follows = await needsNextVersion(transaction, engines, { newest, changes })
        const agent = await withFieldPath('agent', () => edits.write(transaction, newest, { body, problems, follows }))
        return { agent, describeLlm }
      })

      return await describeDraft({ edits, llms }, { ...written, llmId, changes })
    },
  }
}

/** The edit count that an `ETag` such as `"3"` says. */
function editCountOf(tag: string | null | undefined): number | null {
  return tag === null || tag === undefined ? null : Number(tag.replace(/\D/g, ''))
}

/** The LLM configuration that an agent answers with after an edit; `null` with other engines. */
function resolveLlmId({ definition, engine }: Versioned<AgentDefinition>, body: EngineChange): string | null {
  const { response_engine: given } = body
  if (given !== undefined) return 'llm_id' in given ? given.llm_id : null
  return engineKind(definition.response_engine.type) === 'llm' ? (engine?.id ?? null) : null
}

/** `null` where nothing is said of the configuration. */
async function prepareLlmEdit(
  llms: LlmDrafts,
  { workspaceId, llmId }: { readonly workspaceId: number; readonly llmId: string | null },
  { llm, llmEtag }: DraftChanges<unknown>,
): Promise<LlmEdit | null> {
  if (llm === undefined && (llmEtag ?? null) === null) return null
  if (llmId === null) {
    throw invalidField(llm === undefined ? 'llmEtag' : 'llm', 'this agent answers with no LLM configuration')
  }
  return await withFieldPath('llm', () => llms.prepareEdit(workspaceId, llmId, llm ?? {}))
}

/**
 * Whether a used or published version means an older version of its engine than the newest, although its configuration was
 * edited or the body lets it follow: only a next version can.
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

/** After the commit. Warnings are about what was given. */
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
    'The agent got another engine meanwhile. Read it again and repeat the change.',
  )
}

/** Names the part of the body in what is wrong with it. */
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
