import { isDeepStrictEqual } from 'node:util'
import type { AgentVersion } from '@parley/contract/agent'
import type { ErrorDetail } from '@parley/contract/errors'
import type { VersionSelector } from '@parley/contract/fields'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { AgentRemoval } from '../../kernel/agent-removal.ts'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { type AtEdit, checkUnedited, missingVersion, planEdit } from '../../kernel/edits.ts'
import { AppError } from '../../kernel/errors.ts'
import type { ModelDirectories } from '../../kernel/model-directory.ts'
import { type Page, type PageRequest, pageVersions } from '../../kernel/paging.ts'
import { type Publication, type Versioned, VersionStore } from '../../kernel/version-store.ts'
import { editedVersion, insertedVersion } from '../../kernel/written-version.ts'
import { type AgentDefinition, contentOf, toAgentVersion } from './agent-definition.ts'
import {
  type AgentKind,
  agentName,
  type EngineChange,
  idPrefixOf,
  type NamedVoices,
  type NewEngine,
} from './agent-kind.ts'
import type { Engines, VoiceCatalogue } from './agent-ports.ts'
import { checkVoices } from './check-voices.ts'
import { agentWarnings, checkEngine } from './engine-check.ts'
import { freezeAgent } from './freeze-agent.ts'

export interface AgentServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly engines: Engines
  readonly voices: VoiceCatalogue
  /** What else lets go of an agent that is deleted, in this order. */
  readonly removals: readonly AgentRemoval[]
  readonly models: ModelDirectories
}

/** An agent that a caller wants to change. `ifMatch` is the edit count it knows; `null` takes any. */
export interface AgentTarget {
  readonly workspaceId: number
  readonly agentId: string
  readonly ifMatch: number | null
}

/** An answer to a write. */
export type Written<Answer> = Answer & { warnings: string[] }

/** Agents of one kind. */
export interface AgentService<CreateBody, UpdateBody, Answer> {
  create(workspaceId: number, body: CreateBody): Promise<AtEdit<Written<Answer>>>
  list(workspaceId: number, page: PageRequest): Promise<Page<Answer>>
  get(workspaceId: number, agentId: string, selector: VersionSelector): Promise<AtEdit<Answer>>
  /** `version` names the version to edit; the newest when absent. */
  update(target: AgentTarget & { version?: number | undefined }, body: UpdateBody): Promise<AtEdit<Written<Answer>>>
  listVersions(workspaceId: number, agentId: string, page: PageRequest): Promise<Page<AgentVersion>>
  /** Removes the agent with all versions once everything else has let go of it. */
  remove(target: AgentTarget): Promise<void>
  publish(target: AgentTarget & { version?: number | undefined }, publication: Publication): Promise<AtEdit<Answer>>
  /** Moves the active pointer, or clears it with `null`; answers the version that is active then. */
  activate(target: AgentTarget & { version: number | null }): Promise<AtEdit<Answer>>
}

/** The rules of agents, for one kind of them. */
export function createAgentService<
  Definition extends AgentDefinition & NamedVoices,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  Answer,
>(
  kind: AgentKind<Definition, CreateBody, UpdateBody, Answer>,
  dependencies: AgentServiceDependencies,
): AgentService<CreateBody, UpdateBody, Answer> {
  const { database, clock, makeId, engines, voices, models } = dependencies
  const store = new VersionStore<Definition>(kind.resource)
  const named = (agentId: string) => agentName(agentId, kind.resource)

  /** Finds a version, the newest unless the selector names another. */
  async function findAgent(
    reader: Reader,
    wanted: { workspaceId: number; agentId: string; selector: VersionSelector },
  ): Promise<Versioned<Definition>> {
    const { workspaceId, agentId, selector } = wanted
    const found = await store.find(reader, workspaceId, agentId, selector)
    if (found !== null) return found
    throw missingVersion(named(agentId), selector)
  }

  async function findForEdit(transaction: Transaction, target: AgentTarget, selector: VersionSelector) {
    const found = await findAgent(transaction, { ...target, selector })
    checkUnedited(named(target.agentId), target.ifMatch, found.editCount)
    return found
  }

  async function answer(reader: Reader, found: Versioned<Definition>): Promise<AtEdit<Answer>> {
    const [agent] = await kind.describe(reader, engines, [found])
    if (agent === undefined) throw missingVersion(named(found.id), found.version)
    return { answer: agent, editCount: found.editCount }
  }

  /** After the commit: the writer is not kept waiting for what only the answer needs. */
  async function answerWritten(found: Versioned<Definition>): Promise<AtEdit<Written<Answer>>> {
    const { answer: agent, editCount } = await answer(database.read, found)
    const usable = await models.forWorkspace(found.workspaceId)
    return { answer: { ...agent, warnings: agentWarnings(found.definition, usable) }, editCount }
  }

  /** Only where they matter for what is given: a body without voices changes none. */
  async function storedVoices({ workspaceId, agentId }: AgentTarget, given: NamedVoices): Promise<NamedVoices> {
    if (given.voice_id === undefined && given.fallback_voice_ids === undefined) return {}
    const newest = await store.find(database.read, workspaceId, agentId, 'latest')
    return newest?.definition ?? {}
  }

  return {
    async create(workspaceId, body) {
      const problems = await checkVoices(voices, workspaceId, { given: body, stored: {} })
      const content = kind.define(body)
      const made = await database.transaction(async (transaction) => {
        refuse([...problems, ...(await checkEngine(transaction, engines, { workspaceId, content }))])
        const resource = { id: makeId(idPrefixOf(kind.resource)), workspaceId, now: clock.now() }
        await store.insert(transaction, resource, content)
        return insertedVersion(resource, content)
      })
      return await answerWritten(made)
    },

    async list(workspaceId, page) {
      const found = await store.list(database.read, workspaceId, page)
      return { ...found, items: await kind.describe(database.read, engines, found.items) }
    },

    get: async (workspaceId, agentId, selector) =>
      answer(database.read, await findAgent(database.read, { workspaceId, agentId, selector })),

    async update(target, body) {
      const { workspaceId, agentId } = target
      const stored = await storedVoices(target, body)
      const problems = await checkVoices(voices, workspaceId, { given: body, stored })
      const edited = await database.transaction(async (transaction) => {
        const newest = await findForEdit(transaction, target, 'latest')
        const decision = planEdit(named(agentId), newest, target.version)

        const current = contentOf(newest)
        const content = kind.edit(current, body)
        const engineGiven = body.response_engine !== undefined
        refuse([...problems, ...(engineGiven ? await checkEngine(transaction, engines, { workspaceId, content }) : [])])
        if (isDeepStrictEqual(content, current)) return newest
        const version = { id: agentId, version: decision.version, now: clock.now() }
        if (decision.type === 'edit-draft') await store.updateDraft(transaction, version, content)
        else await store.insertNext(transaction, version, content)
        return editedVersion(newest, version, content)
      })
      return await answerWritten(edited)
    },

    async listVersions(workspaceId, agentId, page) {
      const versions = await store.listVersions(database.read, workspaceId, agentId)
      if (versions.length === 0) throw missingVersion(named(agentId), 'latest')
      const found = pageVersions(versions, page)
      return { ...found, items: found.items.map(toAgentVersion) }
    },

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        const { workspaceId, agentId } = target
        const removed = { workspaceId, agentId, now: clock.now() }
        for (const removal of dependencies.removals) await removal.agentRemoved(transaction, removed)
        await store.remove(transaction, agentId)
      }),

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const found = await findForEdit(transaction, target, target.version ?? 'latest')
        const now = clock.now()
        await freezeAgent(transaction, { store, engines }, { found, now })
        const { id, version } = found
        await store.publish(transaction, { id, version, now }, publication)
        return answer(transaction, await findAgent(transaction, { ...target, selector: version }))
      }),

    activate: (target) =>
      database.transaction(async (transaction) => {
        const { agentId, version } = target
        await findForEdit(transaction, target, version ?? 'latest')
        await store.activate(transaction, { id: agentId, version, now: clock.now() })
        return answer(transaction, await findAgent(transaction, { ...target, selector: 'active' }))
      }),
  }
}

function refuse(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first !== undefined)
    throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details: problems })
}
