import type { VersionSelector } from '@parley/contract/fields'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import type { MakeId } from '@parley/engine/ports'
import type { AtEdit } from '../../kernel/edits.ts'
import { type ModelDirectories, modelWarnings } from '../../kernel/model-directory.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import {
  createStoredEngines,
  type EngineTarget,
  type StoredEnginesDependencies,
  stayingWarnings,
} from '../../kernel/stored-engines.ts'
import type { Publication, Versioned } from '../../kernel/version-store.ts'
import { defineLlm, editLlm, type LlmDefinition, toLlm, toLlmSummary, toLlmVersion } from './llm-definition.ts'

export interface LlmServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface LlmService {
  create(workspaceId: number, body: CreateLlmBody): Promise<AtEdit<LlmWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<LlmSummary>>
  get(workspaceId: number, llmId: string, selector: VersionSelector): Promise<AtEdit<Llm>>
  update(target: EngineTarget, body: UpdateLlmBody): Promise<AtEdit<LlmWritten>>
  remove(target: EngineTarget): Promise<void>
  listVersions(workspaceId: number, llmId: string, page: PageRequest): Promise<Page<LlmVersion>>
  publish(target: EngineTarget, publication: Publication): Promise<AtEdit<Llm>>
}

export function createLlmService(dependencies: LlmServiceDependencies): LlmService {
  const { database, makeId, models } = dependencies
  const engines = createStoredEngines<LlmDefinition>(dependencies, { kind: 'llm', what: 'LLM' })

  return {
    async create(workspaceId, body) {
      const usable = await models.forWorkspace(workspaceId)
      const definition = defineLlm(body, usable.defaultModel)
      const made = await engines.insert({ id: makeId('llm'), workspaceId }, definition)
      return written(made, modelWarnings(usable, [definition.model]))
    },

    async list(workspaceId, page) {
      const found = await engines.store.list(database.read, workspaceId, page)
      return { ...found, items: found.items.map(toLlmSummary) }
    },

    get: async (workspaceId, llmId, selector) =>
      atEdit(await engines.find(database.read, workspaceId, llmId, selector)),

    async update(target, body) {
      const usable = await models.forWorkspace(target.workspaceId)
      const { version, staying } = await engines.update(target, (current) =>
        editLlm(current, body, usable.defaultModel),
      )
      return written(version, [...modelWarnings(usable, [version.definition.model]), ...stayingWarnings(staying)])
    },

    remove: engines.remove,

    async listVersions(workspaceId, llmId, page) {
      const found = await engines.listVersions(workspaceId, llmId, page)
      return { ...found, items: found.items.map(toLlmVersion) }
    },

    publish: async (target, publication) => atEdit(await engines.publish(target, publication)),
  }
}

function atEdit(found: Versioned<LlmDefinition>): AtEdit<Llm> {
  return { answer: toLlm(found), editCount: found.editCount }
}

function written(found: Versioned<LlmDefinition>, warnings: string[]): AtEdit<LlmWritten> {
  return { answer: { ...toLlm(found), warnings }, editCount: found.editCount }
}
