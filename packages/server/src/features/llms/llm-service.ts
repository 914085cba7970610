import { isDeepStrictEqual } from 'node:util'
import type { VersionSelector } from '@parley/contract/fields'
import type { CreateLlmBody, Llm, LlmSummary, LlmVersion, LlmWritten, UpdateLlmBody } from '@parley/contract/llm'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { type AtEdit, checkUnedited, missingVersion, planEdit, type ResourceName } from '../../kernel/edits.ts'
import type { EngineUsers } from '../../kernel/engine-source.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { ModelDirectories, ModelDirectory } from '../../kernel/model-directory.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/paging.ts'
import { type Publication, type Versioned, VersionStore } from '../../kernel/version-store.ts'
import { editedVersion, insertedVersion } from '../../kernel/written-version.ts'
import { defineLlm, editLlm, type LlmDefinition, toLlm, toLlmSummary, toLlmVersion } from './llm-definition.ts'
import type { AgentFollowers } from './llm-ports.ts'

export interface LlmServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly models: ModelDirectories
  readonly followers: AgentFollowers
  readonly users: EngineUsers
}

/** An LLM that a caller wants to change. `ifMatch` is the edit count it knows; `null` takes any. */
export interface LlmTarget {
  readonly workspaceId: number
  readonly llmId: string
  readonly ifMatch: number | null
}

export interface LlmService {
  create(workspaceId: number, body: CreateLlmBody): Promise<AtEdit<LlmWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<LlmSummary>>
  get(workspaceId: number, llmId: string, selector: VersionSelector): Promise<AtEdit<Llm>>
  /** `version` names the version to edit; the newest when absent. */
  update(target: LlmTarget & { version?: number | undefined }, body: UpdateLlmBody): Promise<AtEdit<LlmWritten>>
  remove(target: LlmTarget): Promise<void>
  listVersions(workspaceId: number, llmId: string, page: PageRequest): Promise<Page<LlmVersion>>
  publish(target: LlmTarget & { version?: number | undefined }, publication: Publication): Promise<AtEdit<Llm>>
}

export function createLlmService(dependencies: LlmServiceDependencies): LlmService {
  const { database, clock, makeId, models } = dependencies
  const store = new VersionStore<LlmDefinition>('llm')

  async function findOne(reader: Reader, workspaceId: number, llmId: string, selector: VersionSelector) {
    const found = await store.find(reader, workspaceId, llmId, selector)
    if (found !== null) return found
    throw missingVersion(llmName(llmId), selector)
  }

  async function findForEdit(transaction: Transaction, target: LlmTarget, selector: VersionSelector) {
    const found = await findOne(transaction, target.workspaceId, target.llmId, selector)
    checkUnedited(llmName(target.llmId), target.ifMatch, found.editCount)
    return found
  }

  return {
    async create(workspaceId, body) {
      const usable = await models.forWorkspace(workspaceId)
      return await database.transaction(async (transaction) => {
        const resource = { id: makeId('llm'), workspaceId, now: clock.now() }
        const definition = defineLlm(body, usable.defaultModel)
        await store.insert(transaction, resource, { definition })
        return written(insertedVersion(resource, { definition }), modelWarnings(usable, definition.model))
      })
    },

    async list(workspaceId, page) {
      const found = await store.list(database.read, workspaceId, page)
      return { ...found, items: found.items.map(toLlmSummary) }
    },

    get: async (workspaceId, llmId, selector) => atEdit(await findOne(database.read, workspaceId, llmId, selector)),

    async update(target, body) {
      const { workspaceId, llmId } = target
      const usable = await models.forWorkspace(workspaceId)
      return await database.transaction(async (transaction) => {
        const newest = await findForEdit(transaction, target, 'latest')
        const decision = planEdit(llmName(llmId), newest, target.version)

        const definition = editLlm(newest.definition, body, usable.defaultModel)
        const warnings = modelWarnings(usable, definition.model)
        if (isDeepStrictEqual(definition, newest.definition)) return written(newest, warnings)
        const now = clock.now()
        const version = { id: llmId, version: decision.version, now }
        if (decision.type === 'edit-draft') {
          await store.updateDraft(transaction, version, { definition })
        } else {
          await store.insertNext(transaction, version, { definition })
          const staying = await dependencies.followers.follow(transaction, { workspaceId, engineId: llmId, now })
          if (staying.length > 0) warnings.push(stayingWarning(staying))
        }
        return written(editedVersion(newest, version, { definition }), warnings)
      })
    },

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        const users = await dependencies.users.usersOf(transaction, target.workspaceId, target.llmId)
        if (users.length > 0) throw inUse(target.llmId, users)
        await store.remove(transaction, target.llmId)
      }),

    async listVersions(workspaceId, llmId, { limit, after }) {
      const versions = await store.listVersions(database.read, workspaceId, llmId)
      if (versions.length === 0) throw notFound('LLM', llmId)
      const rest = after === null ? versions : versions.filter(({ version }) => version < after.at)
      return toPage(rest, limit, toLlmVersion, ({ id, version }) => ({ at: version, id }))
    },

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const { version } = await findForEdit(transaction, target, target.version ?? 'latest')
        const named = { id: target.llmId, version, now: clock.now() }
        await store.freeze(transaction, named, null)
        await store.publish(transaction, named, publication)
        return atEdit(await findOne(transaction, target.workspaceId, target.llmId, version))
      }),
  }
}

function atEdit(found: Versioned<LlmDefinition>): AtEdit<Llm> {
  return { answer: toLlm(found), editCount: found.editCount }
}

function written(found: Versioned<LlmDefinition>, warnings: string[]): AtEdit<LlmWritten> {
  return { answer: { ...toLlm(found), warnings }, editCount: found.editCount }
}

function modelWarnings(models: ModelDirectory, model: string): string[] {
  if (models.resolve(model) !== null) return []
  const configured = models.configured().join(', ')
  return [
    `No configured provider serves the model "${model}", so conversations with it fail. Configured: ${configured}.`,
  ]
}

function stayingWarning(names: readonly string[]): string {
  return `New conversations of these agents stay on their pinned, published or activated version: ${names.join(', ')}.`
}

const llmName = (id: string): ResourceName => ({ what: 'LLM', id })

function inUse(llmId: string, users: readonly { id: string; name: string }[]): AppError {
  const named = users.map(({ id, name }) => (name === '' ? id : `"${name}" (${id})`))
  return new AppError(
    'in_use',
    `LLM "${llmId}" is used by ${named.join(', ')}. Delete those agents or give them another engine first.`,
    { details: named.map((user) => ({ path: '', message: `used by ${user}` })) },
  )
}
