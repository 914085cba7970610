import type { AgentVersion } from '@parley/contract/agent'
import type { VersionSelector } from '@parley/contract/fields'
import type { MakeId } from '@parley/engine/ports'
import { missingVersion, type WithEditCount } from '../../kernel/api/edits.ts'
import { type Page, type PageRequest, pageVersions } from '../../kernel/api/paging.ts'
import type { Publication, Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import { insertedVersion } from '../../kernel/versions/versions.ts'
import { type AgentDefinition, toAgentVersion } from './agent-definition.ts'
import {
  type AgentEdits,
  type AgentEditsDependencies,
  type AgentTarget,
  createAgentEdits,
  refuse,
  type Written,
} from './agent-edits.ts'
import {
  type AgentKind,
  agentName,
  type EngineChange,
  idPrefixOf,
  type NamedVoices,
  type NewEngine,
} from './agent-kind.ts'
import type { AgentRemoval } from './agent-removal.ts'
import { checkVoices } from './check-voices.ts'
import { checkEngine } from './engine-check.ts'
import { freezeAgent } from './freeze-agent.ts'

export interface AgentServiceDependencies extends AgentEditsDependencies {
  readonly makeId: MakeId
  /** What else lets go of an agent that is deleted, in this order. */
  readonly removals: readonly AgentRemoval[]
}

/** Agents of one kind. */
export interface AgentService<CreateBody, UpdateBody, Answer> {
  create(workspaceId: number, body: CreateBody): Promise<WithEditCount<Written<Answer>>>
  list(workspaceId: number, page: PageRequest): Promise<Page<Answer>>
  get(workspaceId: number, agentId: string, selector: VersionSelector): Promise<WithEditCount<Answer>>
  /** `version` names the version to edit; the newest when absent. */
  update(
    target: AgentTarget & { version?: number | undefined },
    body: UpdateBody,
  ): Promise<WithEditCount<Written<Answer>>>
  listVersions(workspaceId: number, agentId: string, page: PageRequest): Promise<Page<AgentVersion>>
  /** Removes the agent with all versions once everything else has let go of it. */
  remove(target: AgentTarget): Promise<void>
  publish(
    target: AgentTarget & { version?: number | undefined },
    publication: Publication,
  ): Promise<WithEditCount<Answer>>
  /** Moves the active pointer, or clears it with `null`; answers the version that is active then. */
  activate(target: AgentTarget & { version: number | null }): Promise<WithEditCount<Answer>>
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
  const { database, engines } = dependencies
  const edits = createAgentEdits(kind, dependencies)
  const { store } = edits
  return {
    create: async (workspaceId, body) =>
      edits.describeSaved(await insertAgent({ kind, store, dependencies }, workspaceId, body)),

    async list(workspaceId, page) {
      const found = await store.list(database.read, workspaceId, page)
      return { ...found, items: await kind.describe(database.read, engines, found.items) }
    },

    get: async (workspaceId, agentId, selector) =>
      edits.describe(database.read, await edits.find(database.read, { workspaceId, agentId, selector })),

    async update(target, body) {
      const problems = await edits.voiceProblems(target, body)
      const written = await edits.update(target, { body, problems, version: target.version })
      return await edits.describeSaved(written)
    },

    async listVersions(workspaceId, agentId, page) {
      const versions = await store.listVersions(database.read, workspaceId, agentId)
      if (versions.length === 0) throw missingVersion(agentName(agentId, kind.resource), 'latest')
      const found = pageVersions(versions, page)
      return { ...found, items: found.items.map(toAgentVersion) }
    },

    ...createStateChanges(edits, dependencies),
  }
}

type Inserting<Definition extends AgentDefinition & NamedVoices, CreateBody extends NewEngine> = {
  readonly kind: Pick<AgentKind<Definition, CreateBody, EngineChange, unknown>, 'resource' | 'define'>
  readonly store: VersionStore<Definition>
  readonly dependencies: AgentServiceDependencies
}

async function insertAgent<Definition extends AgentDefinition & NamedVoices, CreateBody extends NewEngine>(
  { kind, store, dependencies }: Inserting<Definition, CreateBody>,
  workspaceId: number,
  body: CreateBody,
): Promise<Versioned<Definition>> {
  const { database, clock, makeId, engines, voices } = dependencies
  const problems = await checkVoices(voices, workspaceId, { given: body, stored: {} })
  const content = kind.define(body)
  return await database.transaction(async (transaction) => {
    refuse([...problems, ...(await checkEngine(transaction, engines, { workspaceId, content }))])
    const resource = { id: makeId(idPrefixOf(kind.resource)), workspaceId, now: clock.now() }
    await store.insert(transaction, resource, content)
    return insertedVersion(resource, content)
  })
}

/** Changes of an agent that leave its settings alone. */
function createStateChanges<Definition extends AgentDefinition, UpdateBody, Answer>(
  { store, find, findForEdit, describe }: AgentEdits<Definition, UpdateBody, Answer>,
  { database, clock, engines, removals }: AgentServiceDependencies,
): Pick<AgentService<never, never, Answer>, 'remove' | 'publish' | 'activate'> {
  return {
    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        const { workspaceId, agentId } = target
        const removed = { workspaceId, agentId, now: clock.now() }
        for (const removal of removals) await removal.agentRemoved(transaction, removed)
        await store.remove(transaction, agentId)
      }),

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const found = await findForEdit(transaction, target, target.version ?? 'latest')
        const now = clock.now()
        await freezeAgent(transaction, { store, engines }, { found, now })
        const { id, version } = found
        await store.publish(transaction, { id, version, now }, publication)
        return describe(transaction, await find(transaction, { ...target, selector: version }))
      }),

    activate: (target) =>
      database.transaction(async (transaction) => {
        const { agentId, version } = target
        await findForEdit(transaction, target, version ?? 'latest')
        await store.activate(transaction, { id: agentId, version, now: clock.now() })
        return describe(transaction, await find(transaction, { ...target, selector: 'active' }))
      }),
  }
}
