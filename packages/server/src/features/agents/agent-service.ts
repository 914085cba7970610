import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentVersion, AgentWritten, CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import type { ErrorDetail } from '@parley/contract/errors'
import type { VersionSelector } from '@parley/contract/fields'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { type AtEdit, checkUnedited, missingVersion, planEdit } from '../../kernel/edits.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/paging.ts'
import { type Publication, type Versioned, VersionStore } from '../../kernel/version-store.ts'
import { editedVersion, insertedVersion } from '../../kernel/written-version.ts'
import {
  type AgentDefinition,
  agentName,
  contentOf,
  defineAgent,
  editAgent,
  toAgentVersion,
} from './agent-definition.ts'
import type { ConversationEnder, LlmSource, ModelDirectory, VoiceCatalogue } from './agent-ports.ts'
import { describeAgents } from './describe-agents.ts'
import { agentWarnings, checkEngine, freezeAgent } from './engine-check.ts'

export interface AgentServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly llms: LlmSource
  readonly voices: VoiceCatalogue
  readonly conversations: ConversationEnder
  readonly models: ModelDirectory
}

/** An agent that a caller wants to change. `ifMatch` is the edit count it knows; `null` takes any. */
export interface AgentTarget {
  readonly workspaceId: number
  readonly agentId: string
  readonly ifMatch: number | null
}

export interface AgentService {
  create(workspaceId: number, body: CreateAgentBody): Promise<AtEdit<AgentWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<Agent>>
  get(workspaceId: number, agentId: string, selector: VersionSelector): Promise<AtEdit<Agent>>
  /** `version` names the version to edit; the newest when absent. */
  update(target: AgentTarget & { version?: number | undefined }, body: UpdateAgentBody): Promise<AtEdit<AgentWritten>>
  listVersions(workspaceId: number, agentId: string, page: PageRequest): Promise<Page<AgentVersion>>
  /** Completes the agent's ongoing chats and removes it with all versions. */
  remove(target: AgentTarget): Promise<void>
  publish(target: AgentTarget & { version?: number | undefined }, publication: Publication): Promise<AtEdit<Agent>>
  /** Moves the active pointer, or clears it with `null`; answers the version that is active then. */
  activate(target: AgentTarget & { version: number | null }): Promise<AtEdit<Agent>>
}

export function createAgentService(dependencies: AgentServiceDependencies): AgentService {
  const { database, clock, makeId, llms, voices, models } = dependencies
  const store = new VersionStore<AgentDefinition>('agent')

  async function findForEdit(transaction: Transaction, target: AgentTarget, selector: VersionSelector) {
    const found = await findAgent(store, transaction, { ...target, selector })
    checkUnedited(agentName(target.agentId), target.ifMatch, found.editCount)
    return found
  }

  async function answer(reader: Reader, found: Versioned<AgentDefinition>): Promise<AtEdit<Agent>> {
    const [agent] = await describeAgents(reader, llms, [found])
    if (agent === undefined) throw notFound('agent', found.id)
    return { answer: agent, editCount: found.editCount }
  }

  /** After the commit: the writer is not kept waiting for what only the answer needs. */
  async function answerWritten(found: Versioned<AgentDefinition>): Promise<AtEdit<AgentWritten>> {
    const { answer: agent, editCount } = await answer(database.read, found)
    return { answer: { ...agent, warnings: agentWarnings(found.definition, models) }, editCount }
  }

  async function checkVoice(workspaceId: number, voiceId: string | undefined): Promise<ErrorDetail[]> {
    if (voiceId === undefined || (await voices.has(workspaceId, voiceId))) return []
    return [{ path: 'voice_id', message: `no voice "${voiceId}" is in the catalogue of this workspace` }]
  }

  return {
    async create(workspaceId, body) {
      const problems = await checkVoice(workspaceId, body.voice_id)
      const content = defineAgent(body)
      const made = await database.transaction(async (transaction) => {
        refuse([...problems, ...(await checkEngine(transaction, llms, { workspaceId, content }))])
        const resource = { id: makeId('agent'), workspaceId, now: clock.now() }
        await store.insert(transaction, resource, content)
        return insertedVersion(resource, content)
      })
      return await answerWritten(made)
    },

    async list(workspaceId, page) {
      const found = await store.list(database.read, workspaceId, page)
      return { ...found, items: await describeAgents(database.read, llms, found.items) }
    },

    get: async (workspaceId, agentId, selector) =>
      answer(database.read, await findAgent(store, database.read, { workspaceId, agentId, selector })),

    async update(target, body) {
      const { workspaceId, agentId } = target
      const problems = await checkVoice(workspaceId, body.voice_id)
      const edited = await database.transaction(async (transaction) => {
        const newest = await findForEdit(transaction, target, 'latest')
        const decision = planEdit(agentName(agentId), newest, target.version)

        const current = contentOf(newest)
        const content = editAgent(current, body)
        const engineGiven = body.response_engine !== undefined
        refuse([...problems, ...(engineGiven ? await checkEngine(transaction, llms, { workspaceId, content }) : [])])
        if (isDeepStrictEqual(content, current)) return newest
        const version = { id: agentId, version: decision.version, now: clock.now() }
        if (decision.type === 'edit-draft') await store.updateDraft(transaction, version, content)
        else await store.insertNext(transaction, version, content)
        return editedVersion(newest, version, content)
      })
      return await answerWritten(edited)
    },

    async listVersions(workspaceId, agentId, { limit, after }) {
      const versions = await store.listVersions(database.read, workspaceId, agentId)
      if (versions.length === 0) throw notFound('agent', agentId)
      const rest = after === null ? versions : versions.filter(({ version }) => version < after.at)
      return toPage(rest, limit, toAgentVersion, ({ id, version }) => ({ at: version, id }))
    },

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        await dependencies.conversations.endChatsOf(transaction, target.agentId, clock.now())
        await store.remove(transaction, target.agentId)
      }),

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const found = await findForEdit(transaction, target, target.version ?? 'latest')
        const now = clock.now()
        await freezeAgent(transaction, { store, llms }, { found, now })
        const { id, version } = found
        await store.publish(transaction, { id, version, now }, publication)
        return answer(transaction, await findAgent(store, transaction, { ...target, selector: version }))
      }),

    activate: (target) =>
      database.transaction(async (transaction) => {
        const { agentId, version } = target
        await findForEdit(transaction, target, version ?? 'latest')
        await store.activate(transaction, { id: agentId, version, now: clock.now() })
        return answer(transaction, await findAgent(store, transaction, { ...target, selector: 'active' }))
      }),
  }
}

/** Finds a version, the newest unless the selector names another. */
async function findAgent(
  store: VersionStore<AgentDefinition>,
  reader: Reader,
  wanted: { workspaceId: number; agentId: string; selector?: VersionSelector },
): Promise<Versioned<AgentDefinition>> {
  const { workspaceId, agentId, selector = 'latest' } = wanted
  const found = await store.find(reader, workspaceId, agentId, selector)
  if (found !== null) return found
  throw missingVersion(agentName(agentId), selector)
}

function refuse(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first !== undefined)
    throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details: problems })
}
