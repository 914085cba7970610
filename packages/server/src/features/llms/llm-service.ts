import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '@parley/contract/errors'
import type { VersionSelector } from '@parley/contract/fields'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import { llmErrors, llmWarnings } from '@parley/contract/llm-problems'
import type { MakeId } from '@parley/engine/ports'
import type { WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { Publication, Versioned } from '../../kernel/versions/version-store.ts'
import {
  createStoredEngines,
  type EngineTarget,
  findKnownDefinitions,
  knowledgeWarnings,
  type ModelDirectories,
  type ModelDirectory,
  modelWarnings,
  type StoredEngines,
  type StoredEnginesDependencies,
  secretWarnings,
  unreachedAgentWarnings,
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

export interface LlmServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface LlmService {
  create(workspaceId: number, body: CreateLlmBody): Promise<WithEditCount<LlmWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<LlmSummary>>
  get(workspaceId: number, llmId: string, selector: VersionSelector): Promise<WithEditCount<Llm>>
  update(target: EngineTarget, body: UpdateLlmBody): Promise<WithEditCount<LlmWritten>>
  /** Reads what an edit depends on, before the unit of work that writes it. */
  prepareEdit(workspaceId: number, llmId: string, body: UpdateLlmBody): Promise<LlmEdit>
  remove(target: EngineTarget): Promise<void>
  listVersions(workspaceId: number, llmId: string, page: PageRequest): Promise<Page<LlmVersion>>
  publish(target: EngineTarget, publication: Publication): Promise<WithEditCount<Llm>>
}

/** An edit that is ready to be written. */
export interface LlmEdit {
  /** Writes as `update` does; agents follow. Answers what describes the result after the commit. */
  write(transaction: Transaction, at: Pick<EngineTarget, 'ifMatch' | 'version'>): Promise<DescribeLlm>
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
  refuse(llmErrors(definition))
  const inserted = await engines.insert({ id: makeId('llm'), workspaceId }, definition)
  return written(inserted, await warningsOf(parts, usable, inserted))
}

async function prepareEdit(
  parts: Parts,
  target: Pick<EngineTarget, 'workspaceId' | 'id'>,
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
        refuse(llmErrors(edited))
        moved = startWarnings(stored, edited, body)
        // An edit of nothing is none, also of what was stored before there were all of these fields.
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

/** What may not work of a definition as it is stored. */
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

function refuse(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first !== undefined)
    throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details: problems })
}

function atEdit(found: Versioned<LlmDefinition>): WithEditCount<Llm> {
  return { answer: toLlm(found), editCount: found.editCount }
}

function written(found: Versioned<LlmDefinition>, warnings: string[]): WithEditCount<LlmWritten> {
  return { answer: { ...toLlm(found), warnings }, editCount: found.editCount }
}
