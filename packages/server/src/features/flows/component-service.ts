import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '@parley/contract/errors'
import type {
  CreateFlowComponentBody,
  FlowComponent,
  FlowComponentItem,
  FlowComponentWritten,
  UpdateFlowComponentBody,
} from '@parley/contract/flow-component'
import { listSharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import { findComponentProblems } from '@parley/contract/flow-problems/flow-problems'
import type { FindNodeIndex } from '@parley/contract/flow-problems/graph-errors'
import type { Clock, MakeId } from '@parley/engine/ports'
import { checkEditCount, type EditTarget, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { inUse, notFound, type ResourceUser } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import { type Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import {
  type AgentFollowers,
  buildUnaffectedAgentWarnings,
  findKnowledgeWarnings,
  findMissingAgentWarnings,
  findModelWarnings,
  findSecretWarnings,
  findStoredDefinitions,
  type ModelDirectories,
  type ToolVault,
} from '../engines/public.ts'
import { loadComponentOutlines, MAX_COMPONENTS } from './collect-components.ts'
import {
  type ComponentDefinition,
  defineComponent,
  editComponent,
  type StoredComponent,
  toComponentGraph,
  toComponentItem,
  toFlowComponent,
} from './component-definition.ts'
import {
  findComponent,
  findMentioningComponents,
  findMentioningFlows,
  insertComponent,
  listComponents,
  removeComponent,
  saveComponentDefinition,
} from './component-store.ts'
import {
  findSizeProblems,
  getWarningMessages,
  limitWarnings,
  listInBatches,
  listNodeKnowledgeBases,
  listNodeModels,
  listReferencedAgents,
  rejectProblems,
} from './flow-checks.ts'
import { completeFlow, type FlowDefinition, findStartWarnings } from './flow-definition.ts'
import { createNodeIndexFinder, fillEdgeIds, mergeNodes } from './merge-nodes.ts'

interface ComponentChange {
  readonly workspaceId: number
  readonly componentId: string
  readonly now: number
}

const flowStore = new VersionStore<FlowDefinition>('conversation-flow')

/** Finds the components and the newest versions of flows that use the component directly. */
async function findComponentUsers(
  transaction: Transaction,
  workspaceId: number,
  componentId: string,
): Promise<{ readonly flows: readonly Versioned<FlowDefinition>[]; readonly components: readonly string[] }> {
  const usingFlows: Versioned<FlowDefinition>[] = []
  for (const id of await findMentioningFlows(transaction, workspaceId, componentId)) {
    const flow = await flowStore.find(transaction, workspaceId, id, 'latest')
    if (flow !== null && listSharedComponentIds(completeFlow(flow.definition)).includes(componentId))
      usingFlows.push(flow)
  }
  const components: string[] = []
  for (const id of await findMentioningComponents(transaction, workspaceId, componentId)) {
    const otherComponent = id === componentId ? null : await findComponent(transaction, workspaceId, id)
    if (otherComponent !== null && listSharedComponentIds(otherComponent.definition).includes(componentId))
      components.push(id)
  }
  return { flows: usingFlows, components }
}

/**
 * Creates the next version of each flow that uses the component directly or indirectly and whose newest version is frozen.
 * Updates the agents that follow these flows. Returns the names of agents that do not follow.
 */
async function followComponent(
  transaction: Transaction,
  followers: AgentFollowers,
  { workspaceId, componentId, now }: ComponentChange,
): Promise<readonly string[]> {
  const affectedIds = new Set([componentId])
  const updatedFlowIds = new Set<string>()
  const unaffectedAgents: string[] = []
  // The loop also visits items added during iteration.
  for (const id of affectedIds) {
    const users = await findComponentUsers(transaction, workspaceId, id)
    for (const userId of users.components) affectedIds.add(userId)
    for (const { id: flowId, version, frozen, definition } of users.flows) {
      if (!frozen || updatedFlowIds.has(flowId)) continue
      updatedFlowIds.add(flowId)
      await flowStore.insertNext(transaction, { id: flowId, version: version + 1, now }, { definition })
      unaffectedAgents.push(...(await followers.follow(transaction, { workspaceId, engineId: flowId, now })))
    }
  }
  return [...new Set(unaffectedAgents)]
}

interface ComponentServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly models: ModelDirectories
  readonly followers: AgentFollowers
  readonly vault: ToolVault
}

export interface ComponentService {
  create(workspaceId: number, body: CreateFlowComponentBody): Promise<WithEditCount<FlowComponentWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<FlowComponentItem>>
  get(workspaceId: number, componentId: string): Promise<WithEditCount<FlowComponent>>
  update(target: EditTarget, body: UpdateFlowComponentBody): Promise<WithEditCount<FlowComponentWritten>>
  /** Removes a component. Throws `in_use` if another component or a flow's newest version uses it. */
  remove(target: EditTarget): Promise<void>
}

export function createComponentService(dependencies: ComponentServiceDependencies): ComponentService {
  const { database } = dependencies

  return {
    create: (workspaceId, body) => createComponent(dependencies, workspaceId, body),

    list: (workspaceId, page) =>
      listInBatches(page, (pageRequest) => listComponents(database.read, workspaceId, pageRequest), toComponentItem),

    async get(workspaceId, componentId) {
      const component = await requireComponent(database.read, workspaceId, componentId)
      return { response: toFlowComponent(component), editCount: component.editCount }
    },

    update: (target, body) => updateComponent(dependencies, target, body),

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target)
        const users = await findComponentUsers(transaction, target.workspaceId, target.id)
        const ids = [...users.flows.map(({ id }) => id), ...users.components]
        const remedy = 'Remove it from those flows and components first.'
        if (ids.length > 0) throw inUse(`Flow component "${target.id}"`, ids.map(toUnnamedUser), remedy)
        await removeComponent(transaction, target.id)
      }),
  }
}

async function requireComponent(reader: Reader, workspaceId: number, componentId: string): Promise<StoredComponent> {
  const component = await findComponent(reader, workspaceId, componentId)
  if (component === null) throw notFound('flow component', componentId)
  return component
}

async function findForEdit(transaction: Transaction, target: EditTarget): Promise<StoredComponent> {
  const component = await requireComponent(transaction, target.workspaceId, target.id)
  checkEditCount({ kind: 'flow component', id: target.id }, target.ifMatch, component.editCount)
  return component
}

/** Throws `invalid_request` if the component is invalid. */
async function rejectInvalidComponent(
  transaction: Transaction,
  { id, workspaceId, definition, findNodeIndex }: UnvalidatedComponent,
) {
  const roots = { workspaceId, ids: listSharedComponentIds(definition) }
  const { shared, isTruncated } = await loadComponentOutlines(transaction, roots)
  const { errors } = findComponentProblems({ ...definition, id }, { shared, ...(findNodeIndex && { findNodeIndex }) })
  rejectProblems([...errors, ...findTruncationProblems(isTruncated), ...findSizeProblems(definition)])
}

/** Builds the response after the commit, so that its reads do not block the writer. */
async function describeSaved(
  { database, models, vault }: Pick<ComponentServiceDependencies, 'database' | 'models' | 'vault'>,
  component: StoredComponent,
  warnings: readonly string[],
) {
  const { definition, workspaceId, id } = component
  const { shared } = await loadComponentOutlines(database.read, {
    workspaceId,
    ids: listSharedComponentIds(definition),
  })
  const modelDirectory = await models.forWorkspace(workspaceId)
  const allWarnings = [
    ...warnings,
    ...findModelWarnings(modelDirectory, listNodeModels(definition.nodes)),
    ...getWarningMessages(findComponentProblems({ ...definition, id }, { shared }).warnings),
    ...(await findKnowledgeWarnings(database.read, workspaceId, listNodeKnowledgeBases(definition.nodes))),
    ...(await findMissingAgentWarnings(database.read, workspaceId, listReferencedAgents(definition))),
    ...(await findSecretWarnings(database.read, workspaceId, vault.decrypt(definition, workspaceId))),
  ]
  return {
    response: { ...toFlowComponent(component), warnings: limitWarnings(allWarnings) },
    editCount: component.editCount,
  }
}

async function createComponent(
  dependencies: ComponentServiceDependencies,
  workspaceId: number,
  body: CreateFlowComponentBody,
): Promise<WithEditCount<FlowComponentWritten>> {
  const { database, vault, clock, makeId } = dependencies
  const storedDefinitions = await findStoredDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
  const encryptedBody = vault.encrypt(body, { workspaceId, storedDefinitions })
  const definition = defineComponent(
    encryptedBody,
    fillEdgeIds(encryptedBody.nodes, () => makeId('edge')),
  )
  const now = clock.now()
  const timestamps = { createdAt: now, updatedAt: now }
  const component = { id: makeId('flow_component'), workspaceId, definition, editCount: 1, ...timestamps }
  await database.transaction(async (transaction) => {
    await rejectInvalidComponent(transaction, { id: null, workspaceId, definition })
    await insertComponent(transaction, component)
  })
  return await describeSaved(dependencies, component, [])
}

async function updateComponent(
  dependencies: ComponentServiceDependencies,
  target: EditTarget,
  body: UpdateFlowComponentBody,
): Promise<WithEditCount<FlowComponentWritten>> {
  const { database, vault, clock, makeId, followers } = dependencies
  const { workspaceId, id } = target
  const { component, warnings } = await database.transaction(async (transaction) => {
    const current = await findForEdit(transaction, target)
    const encryptedBody = vault.encrypt(body, { workspaceId, storedDefinitions: [current.definition] })
    const mergeResult = mergeNodes(current.definition.nodes, encryptedBody)
    rejectProblems(mergeResult.problems)
    const definition = editComponent(
      current.definition,
      encryptedBody,
      fillEdgeIds(mergeResult.nodes, () => makeId('edge')),
    )
    await rejectInvalidComponent(transaction, {
      id,
      workspaceId,
      definition,
      findNodeIndex: createNodeIndexFinder(body.nodes),
    })
    const { start_node_id: previousStartId } = current.definition
    const warnings = [
      ...mergeResult.warnings,
      ...findStartWarnings(previousStartId, definition.start_node_id, body.start_node_id),
    ]
    if (isDeepStrictEqual(definition, current.definition)) return { component: current, warnings }
    const now = clock.now()
    await saveComponentDefinition(transaction, { id, definition, now })
    // Names and notes do not affect conversations.
    const isGraphUnchanged = isDeepStrictEqual(toComponentGraph(definition), toComponentGraph(current.definition))
    const change = { workspaceId, componentId: id, now }
    const unaffectedAgents = isGraphUnchanged ? [] : await followComponent(transaction, followers, change)
    const component = { ...current, definition, editCount: current.editCount + 1, updatedAt: now }
    return { component, warnings: [...warnings, ...buildUnaffectedAgentWarnings(unaffectedAgents)] }
  })
  return await describeSaved(dependencies, component, warnings)
}

const toUnnamedUser = (id: string): ResourceUser => ({ id, name: '' })

/** A component before its validation. `id` is null for a new component. */
interface UnvalidatedComponent {
  readonly id: string | null
  readonly workspaceId: number
  readonly definition: ComponentDefinition
  readonly findNodeIndex?: FindNodeIndex
}

/** Returns a problem if the component uses too many others. Cycles cannot be detected beyond the limit. */
function findTruncationProblems(isTruncated: boolean): ErrorDetail[] {
  if (!isTruncated) return []
  const message = `must not use more than ${MAX_COMPONENTS} other components or 16 MB of them, including nested ones`
  return [{ path: 'nodes', message }]
}
