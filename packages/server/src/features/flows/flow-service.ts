import { isDeepStrictEqual } from 'node:util'
import type {
  ConversationFlow,
  ConversationFlowItem,
  ConversationFlowVersion,
  ConversationFlowWritten,
  CreateConversationFlowBody,
  FlowValidation,
  UpdateConversationFlowBody,
} from '@parley/contract/conversation-flow'
import type { VersionSelector } from '@parley/contract/fields'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { type AtEdit, checkUnedited, missingVersion, planEdit, type ResourceName } from '../../kernel/edits.ts'
import type { EngineUsers } from '../../kernel/engine-source.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { ModelDirectories, ModelDirectory } from '../../kernel/model-directory.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/paging.ts'
import { type Publication, type Versioned, VersionStore } from '../../kernel/version-store.ts'
import { editedVersion, insertedVersion } from '../../kernel/written-version.ts'
import { outlineComponents } from './component-store.ts'
import { componentIdsOf } from './dialog-graph.ts'
import { type FlowDefinition, toFlow, toFlowItem, toFlowVersion } from './flow-definition.ts'
import type { AgentFollowers } from './flow-ports.ts'
import { graphWarnings, modelsOf, modelWarnings, shorten, stayingWarning, variableWarnings } from './flow-warnings.ts'
import { listInParts } from './list-in-parts.ts'
import { planFlowEdit, planNewFlow } from './plan-flow.ts'
import { refuseProblems } from './refuse-problems.ts'
import { undefinedVariables } from './undefined-variables.ts'

export interface FlowServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly models: ModelDirectories
  readonly followers: AgentFollowers
  readonly users: EngineUsers
}

/** A flow that a caller wants to change. `ifMatch` is the edit count it knows; `null` takes any. */
export interface FlowTarget {
  readonly workspaceId: number
  readonly flowId: string
  readonly ifMatch: number | null
}

export interface FlowService {
  create(workspaceId: number, body: CreateConversationFlowBody): Promise<AtEdit<ConversationFlowWritten>>
  /** What `create` would refuse and warn of. */
  validate(workspaceId: number, body: CreateConversationFlowBody): Promise<FlowValidation>
  list(workspaceId: number, page: PageRequest): Promise<Page<ConversationFlowItem>>
  get(workspaceId: number, flowId: string, selector: VersionSelector): Promise<AtEdit<ConversationFlow>>
  /** `version` names the version to edit; the newest when absent. */
  update(
    target: FlowTarget & { version?: number | undefined },
    body: UpdateConversationFlowBody,
  ): Promise<AtEdit<ConversationFlowWritten>>
  remove(target: FlowTarget): Promise<void>
  listVersions(workspaceId: number, flowId: string, page: PageRequest): Promise<Page<ConversationFlowVersion>>
  publish(
    target: FlowTarget & { version?: number | undefined },
    publication: Publication,
  ): Promise<AtEdit<ConversationFlow>>
}

export function createFlowService(dependencies: FlowServiceDependencies): FlowService {
  const { database, clock, makeId, models } = dependencies
  const store = new VersionStore<FlowDefinition>('conversation-flow')
  const makeEdgeId = () => makeId('edge')

  async function findOne(reader: Reader, workspaceId: number, flowId: string, selector: VersionSelector) {
    const found = await store.find(reader, workspaceId, flowId, selector)
    if (found !== null) return found
    throw missingVersion(flowName(flowId), selector)
  }

  async function findForEdit(transaction: Transaction, target: FlowTarget, selector: VersionSelector) {
    const found = await findOne(transaction, target.workspaceId, target.flowId, selector)
    checkUnedited(flowName(target.flowId), target.ifMatch, found.editCount)
    return found
  }

  async function warningsOf(
    usable: ModelDirectory,
    workspaceId: number,
    definition: FlowDefinition,
  ): Promise<string[]> {
    const components = await outlineComponents(database.read, workspaceId, componentIdsOf(definition.nodes))
    const defaults = definition.default_dynamic_variables
    return [
      ...modelWarnings(usable, [definition.model_choice.model, ...modelsOf(definition.nodes)]),
      ...graphWarnings(definition, components),
      ...variableWarnings(undefinedVariables(definition, { defaults, components })),
    ]
  }

  /** After the commit: the writer is not kept waiting for what only the answer needs. */
  async function answerWritten(
    usable: ModelDirectory,
    found: Versioned<FlowDefinition>,
    warnings: readonly string[],
  ): Promise<AtEdit<ConversationFlowWritten>> {
    const all = [...warnings, ...(await warningsOf(usable, found.workspaceId, found.definition))]
    return { answer: { ...toFlow(found), warnings: shorten(all) }, editCount: found.editCount }
  }

  return {
    async create(workspaceId, body) {
      const usable = await models.forWorkspace(workspaceId)
      const { definition, problems } = planNewFlow(body, { defaultModel: usable.defaultModel, makeEdgeId })
      refuseProblems(problems)
      const resource = { id: makeId('conversation_flow'), workspaceId, now: clock.now() }
      await database.transaction((transaction) => store.insert(transaction, resource, { definition }))
      return await answerWritten(usable, insertedVersion(resource, { definition }), [])
    },

    async validate(workspaceId, body) {
      const usable = await models.forWorkspace(workspaceId)
      const { definition, problems } = planNewFlow(body, { defaultModel: usable.defaultModel, makeEdgeId })
      const warnings = shorten(await warningsOf(usable, workspaceId, definition))
      return { valid: problems.length === 0, errors: [...problems], warnings }
    },

    list: (workspaceId, page) => listInParts(page, (part) => store.list(database.read, workspaceId, part), toFlowItem),

    get: async (workspaceId, flowId, selector) => atEdit(await findOne(database.read, workspaceId, flowId, selector)),

    async update(target, body) {
      const { workspaceId, flowId } = target
      const usable = await models.forWorkspace(workspaceId)
      const { version, warnings } = await database.transaction(async (transaction) => {
        const newest = await findForEdit(transaction, target, 'latest')
        const decision = planEdit(flowName(flowId), newest, target.version)
        const defaults = { defaultModel: usable.defaultModel, makeEdgeId }
        const { definition, warnings } = planFlowEdit(newest.definition, body, defaults)
        if (isDeepStrictEqual(definition, newest.definition)) return { version: newest, warnings }
        const now = clock.now()
        const version = { id: flowId, version: decision.version, now }
        if (decision.type === 'edit-draft') {
          await store.updateDraft(transaction, version, { definition })
          return { version: editedVersion(newest, version, { definition }), warnings }
        }
        await store.insertNext(transaction, version, { definition })
        const staying = await dependencies.followers.follow(transaction, { workspaceId, engineId: flowId, now })
        const told = [...warnings, ...stayingWarning(staying)]
        return { version: editedVersion(newest, version, { definition }), warnings: told }
      })
      return await answerWritten(usable, version, warnings)
    },

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target, 'latest')
        const users = await dependencies.users.usersOf(transaction, target.workspaceId, target.flowId)
        if (users.length > 0) throw inUse(target.flowId, users)
        await store.remove(transaction, target.flowId)
      }),

    async listVersions(workspaceId, flowId, { limit, after }) {
      const versions = await store.listVersions(database.read, workspaceId, flowId)
      if (versions.length === 0) throw notFound('conversation flow', flowId)
      const rest = after === null ? versions : versions.filter(({ version }) => version < after.at)
      return toPage(rest, limit, toFlowVersion, ({ id, version }) => ({ at: version, id }))
    },

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const { version } = await findForEdit(transaction, target, target.version ?? 'latest')
        const named = { id: target.flowId, version, now: clock.now() }
        await store.freeze(transaction, named, null)
        await store.publish(transaction, named, publication)
        return atEdit(await findOne(transaction, target.workspaceId, target.flowId, version))
      }),
  }
}

function atEdit(found: Versioned<FlowDefinition>): AtEdit<ConversationFlow> {
  return { answer: toFlow(found), editCount: found.editCount }
}

const flowName = (id: string): ResourceName => ({ what: 'conversation flow', id })

function inUse(flowId: string, users: readonly { id: string; name: string }[]): AppError {
  const named = users.map(({ id, name }) => (name === '' ? id : `"${name}" (${id})`))
  return new AppError(
    'in_use',
    `Conversation flow "${flowId}" is used by ${named.join(', ')}. Delete those agents or give them another engine first.`,
    { details: named.map((user) => ({ path: '', message: `used by ${user}` })) },
  )
}
