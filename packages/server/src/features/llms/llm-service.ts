import { isDeepStrictEqual } from 'node:util'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import { findLlmErrors, findLlmWarnings } from '@parley/contract/llm-problems'
import type { MakeId } from '@parley/engine/ports'
import type { VersionEditTarget, WithEditCount } from '../../kernel/api/edits.ts'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import {
  buildUnaffectedAgentWarnings,
  createStoredEngines,
  findKnowledgeWarnings,
  findModelWarnings,
  findSecretWarnings,
  findStoredDefinitions,
  type ModelDirectories,
  type ModelDirectory,
  type StoredEngines,
  type StoredEnginesDependencies,
  type VersionedService,
} from '../engines/public.ts'
import {
  completeLlm,
  defineLlm,
  editLlm,
  findStartWarnings,
  type LlmDefinition,
  toLlm,
  toLlmSummary,
  toLlmVersion,
} from './llm-definition.ts'

interface LlmServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface LlmService extends VersionedService<CreateLlmBody, UpdateLlmBody, Llm, LlmVersion, LlmSummary> {
  /** Reads the data that an edit depends on, before the transaction that writes the edit. */
  prepareEdit(workspaceId: number, llmId: string, body: UpdateLlmBody): Promise<LlmEdit>
}

export interface LlmEdit {
  /**
   * Writes the edit and updates the agents that follow the configuration. Returns a function that builds the response after the
   * commit.
   */
  write(transaction: Transaction, options: Pick<VersionEditTarget, 'ifMatch' | 'version'>): Promise<BuildLlmResponse>
}
type BuildLlmResponse = () => Promise<WithEditCount<LlmWritten>>

interface LlmServiceContext extends LlmServiceDependencies {
  readonly engines: StoredEngines<LlmDefinition>
}

export function createLlmService(dependencies: LlmServiceDependencies): LlmService {
  const { database } = dependencies
  const engines = createStoredEngines<LlmDefinition>(dependencies, { kind: 'llm', label: 'LLM' })
  const context: LlmServiceContext = { ...dependencies, engines }
  return {
    create: (workspaceId, body) => createLlm(context, workspaceId, body),

    async list(workspaceId, page) {
      const llmPage = await engines.store.list(database.read, workspaceId, page)
      return { ...llmPage, items: llmPage.items.map(toLlmSummary) }
    },

    get: async (workspaceId, llmId, selector) =>
      attachEditCount(await engines.find(database.read, workspaceId, llmId, selector)),

    async update(target, body) {
      const edit = await prepareEdit(context, target, body)
      const describe = await database.transaction((transaction) => edit.write(transaction, target))
      return await describe()
    },

    prepareEdit: (workspaceId, llmId, body) => prepareEdit(context, { workspaceId, id: llmId }, body),

    remove: engines.remove,

    async listVersions(workspaceId, llmId, page) {
      const versionPage = await engines.listVersions(workspaceId, llmId, page)
      return { ...versionPage, items: versionPage.items.map(toLlmVersion) }
    },

    publish: async (target, publication) => attachEditCount(await engines.publish(target, publication)),
  }
}

async function createLlm(
  context: LlmServiceContext,
  workspaceId: number,
  body: CreateLlmBody,
): Promise<WithEditCount<LlmWritten>> {
  const { database, makeId, models, vault, engines } = context
  const modelDirectory = await models.forWorkspace(workspaceId)
  const storedDefinitions = await findStoredDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
  const definition = defineLlm(vault.encrypt(body, { workspaceId, storedDefinitions }), modelDirectory.defaultModel)
  rejectProblems(findLlmErrors(definition))
  const insertedVersion = await engines.insert({ id: makeId('llm'), workspaceId }, definition)
  return buildWriteResult(insertedVersion, await collectWarnings(context, modelDirectory, insertedVersion))
}

async function prepareEdit(
  context: LlmServiceContext,
  target: Pick<VersionEditTarget, 'workspaceId' | 'id'>,
  body: UpdateLlmBody,
): Promise<LlmEdit> {
  const { database, models, vault, engines } = context
  const { workspaceId } = target
  const modelDirectory = await models.forWorkspace(workspaceId)
  const olderDefinitions = await findStoredDefinitions(database.read, body, target)
  return {
    async write(transaction, options) {
      let startWarnings: readonly string[] = []
      const { version, unaffectedAgents } = await engines.updateInTransaction(
        transaction,
        { ...target, ...options },
        (current) => {
          const stored = completeLlm(current)
          const encryptedBody = vault.encrypt(body, { workspaceId, storedDefinitions: [stored, ...olderDefinitions] })
          const editedDefinition = editLlm(stored, encryptedBody, modelDirectory.defaultModel)
          rejectProblems(findLlmErrors(editedDefinition))
          startWarnings = findStartWarnings(stored, editedDefinition, body)
          // Keeps the stored value if nothing changes, even in rows that lack recently added fields.
          return isDeepStrictEqual(editedDefinition, stored) ? current : editedDefinition
        },
      )
      return async () =>
        buildWriteResult(version, [
          ...startWarnings,
          ...(await collectWarnings(context, modelDirectory, version)),
          ...buildUnaffectedAgentWarnings(unaffectedAgents),
        ])
    },
  }
}

async function collectWarnings(
  { database, vault }: LlmServiceContext,
  modelDirectory: ModelDirectory,
  { workspaceId, definition: stored }: Versioned<LlmDefinition>,
): Promise<string[]> {
  const definition = completeLlm(stored)
  return [
    ...findModelWarnings(modelDirectory, [definition.model]),
    ...findLlmWarnings(definition),
    ...(await findKnowledgeWarnings(database.read, workspaceId, definition.knowledge_base_ids)),
    ...(await findSecretWarnings(database.read, workspaceId, vault.decrypt(definition, workspaceId))),
  ]
}

function attachEditCount(version: Versioned<LlmDefinition>): WithEditCount<Llm> {
  return { response: toLlm(version), editCount: version.editCount }
}

function buildWriteResult(version: Versioned<LlmDefinition>, warnings: string[]): WithEditCount<LlmWritten> {
  return { response: { ...toLlm(version), warnings }, editCount: version.editCount }
}
