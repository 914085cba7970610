import { isDeepStrictEqual } from 'node:util'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import { llmErrors, llmWarnings } from '@parley/contract/llm-problems'
import type { MakeId } from '@parley/engine/ports'
import type { VersionEditTarget, WithEditCount } from '../../kernel/api/edits.ts'
import { rejectProblems } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import {
  createStoredEngines,
  findKnownDefinitions,
  knowledgeWarnings,
  type ModelDirectories,
  type ModelDirectory,
  modelWarnings,
  type StoredEngines,
  type StoredEnginesDependencies,
  secretWarnings,
  unreachedAgentWarnings,
  type VersionedService,
} from '../engines/public.ts'
import {
  completeLlm,
  defineLlm,
  editLlm,
  type LlmDefinition,
  startWarnings,
  toLlm,
  toLlmSummary,
  toLlmVersion,
} from './llm-definition.ts'

interface LlmServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface LlmService extends VersionedService<CreateLlmBody, UpdateLlmBody, Llm, LlmVersion, LlmSummary> {
  /** Reads what an edit depends on, before the transaction that writes it. */
  prepareEdit(workspaceId: number, llmId: string, body: UpdateLlmBody): Promise<LlmEdit>
}

/** An edit that is ready to be written. */
export interface LlmEdit {
  /** Writes as `update` does; agents follow. Returns a function that describes the result after the commit. */
  write(transaction: Transaction, at: Pick<VersionEditTarget, 'ifMatch' | 'version'>): Promise<DescribeLlm>
}
type DescribeLlm = () => Promise<WithEditCount<LlmWritten>>

interface Parts extends LlmServiceDependencies {
  readonly engines: StoredEngines<LlmDefinition>
}

export function createLlmService(dependencies: LlmServiceDependencies): LlmService {
  const { database } = dependencies
  const engines = createStoredEngines<LlmDefinition>(dependencies, { kind: 'llm', what: 'LLM' })
  const parts: Parts = { ...dependencies, engines }
  return {
    create: (workspaceId, body) => createLlm(parts, workspaceId, body),

    async list(workspaceId, page) {
      const found = await engines.store.list(database.read, workspaceId, page)
      return { ...found, items: found.items.map(toLlmSummary) }
    },

    get: async (workspaceId, llmId, selector) =>
      atEdit(await engines.find(database.read, workspaceId, llmId, selector)),

    async update(target, body) {
      const edit = await prepareEdit(parts, target, body)
      const describe = await database.transaction((transaction) => edit.write(transaction, target))
      return await describe()
    },

    prepareEdit: (workspaceId, llmId, body) => prepareEdit(parts, { workspaceId, id: llmId }, body),

    remove: engines.remove,

    async listVersions(workspaceId, llmId, page) {
      const found = await engines.listVersions(workspaceId, llmId, page)
      return { ...found, items: found.items.map(toLlmVersion) }
    },

    publish: async (target, publication) => atEdit(await engines.publish(target, publication)),
  }
}

async function createLlm(parts: Parts, workspaceId: number, body: CreateLlmBody): Promise<WithEditCount<LlmWritten>> {
  const { database, makeId, models, vault, engines } = parts
  const usable = await models.forWorkspace(workspaceId)
  const known = await findKnownDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
  const definition = defineLlm(vault.seal(body, { workspaceId, known }), usable.defaultModel)
  rejectProblems(llmErrors(definition))
  const inserted = await engines.insert({ id: makeId('llm'), workspaceId }, definition)
  return written(inserted, await warningsOf(parts, usable, inserted))
}

async function prepareEdit(
  parts: Parts,
  target: Pick<VersionEditTarget, 'workspaceId' | 'id'>,
  body: UpdateLlmBody,
): Promise<LlmEdit> {
  const { database, models, vault, engines } = parts
  const { workspaceId } = target
  const usable = await models.forWorkspace(workspaceId)
  const older = await findKnownDefinitions(database.read, body, target)
  return {
    async write(transaction, at) {
      let moved: readonly string[] = []
      const { version, unreachedAgents } = await engines.updateIn(transaction, { ...target, ...at }, (current) => {
        const stored = completeLlm(current)
        const sealed = vault.seal(body, { workspaceId, known: [stored, ...older] })
        const edited = editLlm(stored, sealed, usable.defaultModel)
        rejectProblems(llmErrors(edited))
        moved = startWarnings(stored, edited, body)
        // An empty edit stays empty, even for rows from before some fields existed.
        return isDeepStrictEqual(edited, stored) ? current : edited
      })
      return async () =>
        written(version, [
          ...moved,
          ...(await warningsOf(parts, usable, version)),
          ...unreachedAgentWarnings(unreachedAgents),
        ])
    },
  }
}

/** Warnings about a stored definition. */
async function warningsOf(
  { database, vault }: Parts,
  usable: ModelDirectory,
  { workspaceId, definition: stored }: Versioned<LlmDefinition>,
): Promise<string[]> {
  const definition = completeLlm(stored)
  return [
    ...modelWarnings(usable, [definition.model]),
    ...llmWarnings(definition),
    ...(await knowledgeWarnings(database.read, workspaceId, definition.knowledge_base_ids)),
    ...(await secretWarnings(database.read, workspaceId, vault.open(definition, workspaceId))),
  ]
}

function atEdit(found: Versioned<LlmDefinition>): WithEditCount<Llm> {
  return { answer: toLlm(found), editCount: found.editCount }
}

function written(found: Versioned<LlmDefinition>, warnings: string[]): WithEditCount<LlmWritten> {
  return { answer: { ...toLlm(found), warnings }, editCount: found.editCount }
}
