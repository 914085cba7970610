import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '@parley/contract/errors'
import type { VersionSelector } from '@parley/contract/fields'
import type { Clock } from '@parley/engine/ports'
import {
  checkEditCount,
  createMissingVersionError,
  type EditTarget,
  planEdit,
  type WithEditCount,
} from '../../kernel/api/edits.ts'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { type Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import { buildEditedVersion } from '../../kernel/versions/versions.ts'
import { createDraftWrites, type DecideDraft, type ModelDirectories, type Written } from '../engines/public.ts'
import { checkVoices, findEngineProblems, findFallbackModelWarnings } from './agent-checks.ts'
import { type AgentContent, type AgentDefinition, getAgentContent } from './agent-definition.ts'
import {
  type AgentKind,
  type EngineChange,
  type NewEngine,
  toAgentResourceName,
  type VoiceSelection,
} from './agent-kind.ts'
import type { Engines, VoiceCatalog } from './agent-ports.ts'

export interface AgentEditsDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly engines: Engines
  readonly voices: VoiceCatalog
  readonly models: ModelDirectories
}

interface AgentChange<UpdateBody> {
  readonly body: UpdateBody
  /** Problems with the changed voices. */
  readonly problems: readonly ErrorDetail[]
  /** The version to edit; defaults to the newest version. */
  readonly version?: number | undefined
  /** Whether to create a version that uses the newest engine version, even if no settings change. */
  readonly movesToNewestEngine?: boolean
}

/** Operations that all edits of agents share. */
export interface AgentEdits<Definition extends AgentDefinition, UpdateBody, AgentResponse> {
  readonly store: VersionStore<Definition>
  /** Finds an agent version. Throws `not_found` if the workspace does not have it. */
  find(
    reader: Reader,
    query: { workspaceId: number; id: string; selector: VersionSelector },
  ): Promise<Versioned<Definition>>
  /** Finds an agent version to edit. Throws `version_conflict` if the agent was edited after the client read it. */
  findForEdit(reader: Reader, target: EditTarget, selector: VersionSelector): Promise<Versioned<Definition>>
  /** Returns problems with changed voices. Must be called outside a transaction. */
  findVoiceProblems(target: Omit<EditTarget, 'ifMatch'>, changes: VoiceSelection): Promise<ErrorDetail[]>
  /** Edits the newest version or creates the next version. Does nothing if no setting changes. */
  update(target: EditTarget, change: AgentChange<UpdateBody>): Promise<Versioned<Definition>>
  /** Same as `update`, but within a transaction. */
  write(
    transaction: Transaction,
    newestVersion: Versioned<Definition>,
    change: AgentChange<UpdateBody>,
  ): Promise<Versioned<Definition>>
  describe(reader: Reader, version: Versioned<Definition>): Promise<WithEditCount<AgentResponse>>
  /** Builds the response after the commit, so that its reads do not block the writer. */
  describeSaved(version: Versioned<Definition>): Promise<WithEditCount<Written<AgentResponse>>>
}

export function createAgentEdits<
  Definition extends AgentDefinition & VoiceSelection,
  CreateBody extends NewEngine,
  UpdateBody extends EngineChange,
  AgentResponse,
>(
  kind: AgentKind<Definition, CreateBody, UpdateBody, AgentResponse>,
  { database, clock, engines, voices, models }: AgentEditsDependencies,
): AgentEdits<Definition, UpdateBody, AgentResponse> {
  const store = new VersionStore<Definition>(kind.resource)
  const draftWrites = createDraftWrites(database, store, ({ workspaceId, id }) =>
    edits.find(database.read, { workspaceId, id, selector: 'latest' }),
  )
  const toResourceName = (id: string) => toAgentResourceName(id, kind.resource)

  const edits: AgentEdits<Definition, UpdateBody, AgentResponse> = {
    store,

    async find(reader, { workspaceId, id, selector }) {
      const version = await store.find(reader, workspaceId, id, selector)
      if (version !== null) return version
      throw createMissingVersionError(toResourceName(id), selector)
    },

    async findForEdit(reader, target, selector) {
      const version = await edits.find(reader, { ...target, selector })
      checkEditCount(toResourceName(target.id), target.ifMatch, version.editCount)
      return version
    },

    async findVoiceProblems({ workspaceId, id }, changes) {
      if (changes.voice_id === undefined && changes.fallback_voice_ids === undefined) return []
      const newestVersion = await store.find(database.read, workspaceId, id, 'latest')
      return await checkVoices(voices, workspaceId, { changes, stored: newestVersion?.definition ?? {} })
    },

    async update(target, change) {
      const { workspaceId, id, ifMatch } = target
      const updated = await draftWrites.write({ workspaceId, id }, (newestVersion) => {
        checkEditCount(toResourceName(id), ifMatch, newestVersion.editCount)
        return decideDraftEdit({ kind, clock }, { newest: newestVersion, change })
      })
      if (updated !== null) return updated
      return await database.transaction(async (transaction) => {
        const newestVersion = await edits.findForEdit(transaction, target, 'latest')
        return await edits.write(transaction, newestVersion, change)
      })
    },

    write: (transaction, newestVersion, change) =>
      writeEdit(transaction, { kind, store, clock, engines }, { newest: newestVersion, change }),

    async describe(reader, version) {
      const [agent] = await kind.describe(reader, engines, [version])
      if (agent === undefined) throw createMissingVersionError(toResourceName(version.id), version.version)
      return { response: agent, editCount: version.editCount }
    },

    async describeSaved(version) {
      const { response: agent, editCount } = await edits.describe(database.read, version)
      const modelDirectory = await models.forWorkspace(version.workspaceId)
      return {
        response: { ...agent, warnings: findFallbackModelWarnings(version.definition, modelDirectory) },
        editCount,
      }
    },
  }
  return edits
}

interface EditContext<Definition extends AgentDefinition, UpdateBody extends EngineChange> {
  readonly kind: Pick<AgentKind<Definition, never, UpdateBody, unknown>, 'resource' | 'edit'>
  readonly store: VersionStore<Definition>
  readonly clock: Clock
  readonly engines: Engines
}

async function writeEdit<Definition extends AgentDefinition, UpdateBody extends EngineChange>(
  transaction: Transaction,
  { kind, store, clock, engines }: EditContext<Definition, UpdateBody>,
  {
    newest: newestVersion,
    change,
  }: { readonly newest: Versioned<Definition>; readonly change: AgentChange<UpdateBody> },
): Promise<Versioned<Definition>> {
  const { id, workspaceId } = newestVersion
  const { body, problems, movesToNewestEngine = false } = change
  const decision = planEdit(toAgentResourceName(id, kind.resource), newestVersion, change.version)
  const current = getAgentContent(newestVersion)
  const editedContent = kind.edit(current, body)
  const content = movesToNewestEngine ? unpinEngine(editedContent) : editedContent
  const changesEngine = body.response_engine !== undefined
  rejectProblems([
    ...problems,
    ...(changesEngine ? await findEngineProblems(transaction, engines, { workspaceId, content }) : []),
  ])
  if (!movesToNewestEngine && isDeepStrictEqual(content, current)) return newestVersion
  const version = { id, version: decision.version, now: clock.now() }
  if (decision.type === 'edit-draft') await store.updateDraft(transaction, version, content)
  else await store.insertNext(transaction, version, content)
  return buildEditedVersion(newestVersion, version, content)
}

/** Decides an edit that changes an unused draft but not its engine. Returns null for other edits. */
function decideDraftEdit<Definition extends AgentDefinition, UpdateBody extends EngineChange>(
  { kind, clock }: Pick<EditContext<Definition, UpdateBody>, 'kind' | 'clock'>,
  {
    newest: newestVersion,
    change,
  }: { readonly newest: Versioned<Definition>; readonly change: AgentChange<UpdateBody> },
): ReturnType<DecideDraft<Definition>> {
  const { body, problems, version: requestedVersion } = change
  const { type, version } = planEdit(
    toAgentResourceName(newestVersion.id, kind.resource),
    newestVersion,
    requestedVersion,
  )
  if (type !== 'edit-draft' || body.response_engine !== undefined) return null
  const current = getAgentContent(newestVersion)
  const content = kind.edit(current, body)
  rejectProblems(problems)
  if (isDeepStrictEqual(content, current)) return null
  return { target: { id: newestVersion.id, version, now: clock.now() }, content }
}

function unpinEngine<Definition extends AgentDefinition>(content: AgentContent<Definition>): AgentContent<Definition> {
  const { engine } = content
  return { ...content, engine: engine && { ...engine, version: null, pinned: false } }
}
