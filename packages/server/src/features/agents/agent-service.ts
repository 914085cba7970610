import type { AgentVersion } from '@parley/contract/agent'
import type { MakeId } from '@parley/engine/ports'
import { createMissingVersionError, type EditTarget, type WithEditCount } from '../../kernel/api/edits.ts'
import { paginateVersions } from '../../kernel/api/paging.ts'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import { buildInsertedVersion } from '../../kernel/versions/versions.ts'
import type { VersionedService } from '../engines/public.ts'
import { freezeAgent } from './agent-binding.ts'
import { checkVoices, findEngineProblems } from './agent-checks.ts'
import { type AgentDefinition, toAgentVersion } from './agent-definition.ts'
import { type AgentEdits, type AgentEditsDependencies, createAgentEdits } from './agent-edits.ts'
import {
  type AgentKind,
  type EngineChange,
  getIdPrefix,
  type NewEngine,
  toAgentResourceName,
  type VoiceSelection,
} from './agent-kind.ts'
import type { AgentRemoval } from './agent-ports.ts'

interface AgentServiceDependencies extends AgentEditsDependencies {
  readonly makeId: MakeId
  /** Hooks that remove references to a deleted agent. They run in order. */
  readonly removals: readonly AgentRemoval[]
}

export interface AgentService<CreateBody, UpdateBody, AgentResponse>
  extends VersionedService<CreateBody, UpdateBody, AgentResponse, AgentVersion> {
  /** Sets the active version, or clears it if `version` is `null`. Returns the version that is active afterwards. */
  activate(target: EditTarget & { version: number | null }): Promise<WithEditCount<AgentResponse>>
}

/** Creates the service for one kind of agent. */
export function createAgentService<
  Definition extends AgentDefinition & VoiceSelection,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  AgentResponse,
>(
  kind: AgentKind<Definition, CreateBody, UpdateBody, AgentResponse>,
  dependencies: AgentServiceDependencies,
): AgentService<CreateBody, UpdateBody, AgentResponse> {
  const { database, engines } = dependencies
  const edits = createAgentEdits(kind, dependencies)
  const { store } = edits
  return {
    create: async (workspaceId, body) =>
      edits.describeSaved(await insertAgent({ kind, store, dependencies }, workspaceId, body)),

    async list(workspaceId, page) {
      const agentPage = await store.list(database.read, workspaceId, page)
      return { ...agentPage, items: await kind.describe(database.read, engines, agentPage.items) }
    },

    get: async (workspaceId, id, selector) =>
      edits.describe(database.read, await edits.find(database.read, { workspaceId, id, selector })),

    async update(target, body) {
      const problems = await edits.findVoiceProblems(target, body)
      const updated = await edits.update(target, { body, problems, version: target.version })
      return await edits.describeSaved(updated)
    },

    async listVersions(workspaceId, id, page) {
      const versions = await store.listVersions(database.read, workspaceId, id)
      if (versions.length === 0) throw createMissingVersionError(toAgentResourceName(id, kind.resource), 'latest')
      const versionPage = paginateVersions(versions, page)
      return { ...versionPage, items: versionPage.items.map(toAgentVersion) }
    },

    ...createStateChanges(edits, dependencies),
  }
}

type InsertContext<Definition extends AgentDefinition & VoiceSelection, CreateBody extends NewEngine> = {
  readonly kind: Pick<AgentKind<Definition, CreateBody, EngineChange, unknown>, 'resource' | 'define'>
  readonly store: VersionStore<Definition>
  readonly dependencies: AgentServiceDependencies
}

async function insertAgent<Definition extends AgentDefinition & VoiceSelection, CreateBody extends NewEngine>(
  { kind, store, dependencies }: InsertContext<Definition, CreateBody>,
  workspaceId: number,
  body: CreateBody,
): Promise<Versioned<Definition>> {
  const { database, clock, makeId, engines, voices } = dependencies
  const problems = await checkVoices(voices, workspaceId, { changes: body, stored: {} })
  const content = kind.define(body)
  return await database.transaction(async (transaction) => {
    rejectProblems([...problems, ...(await findEngineProblems(transaction, engines, { workspaceId, content }))])
    const resource = { id: makeId(getIdPrefix(kind.resource)), workspaceId, now: clock.now() }
    await store.insert(transaction, resource, content)
    return buildInsertedVersion(resource, content)
  })
}

/** Creates the operations that do not change an agent's settings. */
function createStateChanges<Definition extends AgentDefinition, UpdateBody, AgentResponse>(
  { store, find, findForEdit, describe }: AgentEdits<Definition, UpdateBody, AgentResponse>,
  { database, clock, engines, removals }: AgentServiceDependencies,
): Pick<AgentService<never, never, AgentResponse>, 'remove' | 'publish' | 'activate'> {
  return {
    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        const { workspaceId, id } = target
        const removedAgent = { workspaceId, agentId: id, now: clock.now() }
        for (const removal of removals) await removal.removeAgentReferences(transaction, removedAgent)
        await store.remove(transaction, id)
      }),

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const agentVersion = await findForEdit(transaction, target, target.version ?? 'latest')
        const now = clock.now()
        await freezeAgent(transaction, { store, engines }, { agentVersion, now })
        const { id, version } = agentVersion
        await store.publish(transaction, { id, version, now }, publication)
        return describe(transaction, await find(transaction, { ...target, selector: version }))
      }),

    activate: (target) =>
      database.transaction(async (transaction) => {
        const { id, version } = target
        await findForEdit(transaction, target, version ?? 'latest')
        await store.activate(transaction, { id, version, now: clock.now() })
        return describe(transaction, await find(transaction, { ...target, selector: 'active' }))
      }),
  }
}
