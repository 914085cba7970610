import { isDeepStrictEqual } from 'node:util'
import type {
  CreateFlowComponentBody,
  FlowComponent,
  FlowComponentItem,
  FlowComponentWritten,
  UpdateFlowComponentBody,
} from '@parley/contract/flow-component'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database, Reader, Transaction } from '../../kernel/database.ts'
import { type AtEdit, checkUnedited } from '../../kernel/edits.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { type ModelDirectories, modelWarnings } from '../../kernel/model-directory.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import { VersionStore } from '../../kernel/version-store.ts'
import { checkGraph } from './check-graph.ts'
import {
  type ComponentDefinition,
  findComponent,
  findMentions,
  insertComponent,
  listComponents,
  outlineComponents,
  reachesComponent,
  removeComponent,
  rewriteComponent,
  type StoredComponent,
} from './component-store.ts'
import { componentIdsOf, type DialogGraph } from './dialog-graph.ts'
import { fillEdgeIds } from './edge-ids.ts'
import { editStart, type FlowDefinition, firstNode, startWarnings } from './flow-definition.ts'
import { graphWarnings, modelsOf, shorten } from './flow-warnings.ts'
import { listInParts } from './list-in-parts.ts'
import { mergeNodes } from './merge-nodes.ts'
import { refuseProblems, sizeProblems } from './refuse-problems.ts'

export interface ComponentServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

/** A component that a caller wants to change. `ifMatch` is the edit count it knows; `null` takes any. */
export interface ComponentTarget {
  readonly workspaceId: number
  readonly componentId: string
  readonly ifMatch: number | null
}

export interface ComponentService {
  create(workspaceId: number, body: CreateFlowComponentBody): Promise<AtEdit<FlowComponentWritten>>
  list(workspaceId: number, page: PageRequest): Promise<Page<FlowComponentItem>>
  get(workspaceId: number, componentId: string): Promise<AtEdit<FlowComponent>>
  update(target: ComponentTarget, body: UpdateFlowComponentBody): Promise<AtEdit<FlowComponentWritten>>
  /** Refused while the newest version of a flow, or another component, runs it. */
  remove(target: ComponentTarget): Promise<void>
}

export function createComponentService(dependencies: ComponentServiceDependencies): ComponentService {
  const { database, clock, makeId, models } = dependencies
  const flows = new VersionStore<FlowDefinition>('conversation-flow')
  const makeEdgeId = () => makeId('edge')

  async function findOne(reader: Reader, workspaceId: number, componentId: string): Promise<StoredComponent> {
    const found = await findComponent(reader, workspaceId, componentId)
    if (found === null) throw notFound('flow component', componentId)
    return found
  }

  async function findForEdit(transaction: Transaction, target: ComponentTarget): Promise<StoredComponent> {
    const found = await findOne(transaction, target.workspaceId, target.componentId)
    checkUnedited({ what: 'flow component', id: target.componentId }, target.ifMatch, found.editCount)
    return found
  }

  /** After the commit: the writer is not kept waiting for what only the answer needs. */
  async function answerWritten(found: StoredComponent, warnings: readonly string[]) {
    const { definition } = found
    const components = await outlineComponents(database.read, found.workspaceId, componentIdsOf(definition.nodes))
    const usable = await models.forWorkspace(found.workspaceId)
    const all = [
      ...warnings,
      ...modelWarnings(usable, modelsOf(definition.nodes)),
      ...graphWarnings(definition, components),
    ]
    return { answer: { ...toAnswer(found), warnings: shorten(all) }, editCount: found.editCount }
  }

  function edit(current: ComponentDefinition, body: UpdateFlowComponentBody) {
    const merged = mergeNodes(current.nodes, body)
    refuseProblems(merged.problems)
    const nodes = fillEdgeIds(merged.nodes, makeEdgeId)
    const definition: ComponentDefinition = {
      name: body.name ?? current.name,
      start_node_id: editStart(current.start_node_id, body.start_node_id, nodes),
      nodes,
      tools: body.tools ?? current.tools,
    }
    const places = new Map(body.nodes?.map(({ id }, index) => [id, index]))
    const problems = checkGraph(asGraph(definition), (_index, id) => places.get(id) ?? null)
    refuseProblems([...problems, ...sizeProblems(definition)])
    const moved = startWarnings(current.start_node_id, definition.start_node_id, body.start_node_id)
    return { definition, warnings: [...merged.warnings, ...moved] }
  }

  async function usersOf(transaction: Transaction, workspaceId: number, componentId: string): Promise<string[]> {
    const mentions = await findMentions(transaction, workspaceId, componentId)
    const users: string[] = []
    for (const id of mentions.flows) {
      const flow = await flows.find(transaction, workspaceId, id, 'latest')
      if (flow !== null && componentIdsOf(flow.definition.nodes).includes(componentId)) users.push(id)
    }
    for (const id of mentions.components) {
      const other = id === componentId ? null : await findComponent(transaction, workspaceId, id)
      if (other !== null && componentIdsOf(other.definition.nodes).includes(componentId)) users.push(id)
    }
    return users
  }

  return {
    async create(workspaceId, body) {
      const nodes = fillEdgeIds(body.nodes, makeEdgeId)
      const start_node_id = body.start_node_id ?? firstNode(nodes)
      const definition: ComponentDefinition = { name: body.name, start_node_id, nodes, tools: body.tools }
      refuseProblems([...checkGraph(asGraph(definition)), ...sizeProblems(definition)])
      const now = clock.now()
      const times = { createdAt: now, updatedAt: now }
      const component = { id: makeId('flow_component'), workspaceId, definition, editCount: 1, ...times }
      await database.transaction((transaction) => insertComponent(transaction, component))
      return await answerWritten(component, [])
    },

    list: (workspaceId, page) => listInParts(page, (part) => listComponents(database.read, workspaceId, part), toItem),

    async get(workspaceId, componentId) {
      const found = await findOne(database.read, workspaceId, componentId)
      return { answer: toAnswer(found), editCount: found.editCount }
    },

    async update(target, body) {
      const { workspaceId, componentId: id } = target
      const { component, warnings } = await database.transaction(async (transaction) => {
        const current = await findForEdit(transaction, target)
        const { definition, warnings } = edit(current.definition, body)
        if (isDeepStrictEqual(definition, current.definition)) return { component: current, warnings }
        if (await reachesComponent(transaction, workspaceId, { nodes: definition.nodes, id })) throw runsItself(id)
        const now = clock.now()
        await rewriteComponent(transaction, { id, definition, now })
        return { component: { ...current, definition, editCount: current.editCount + 1, updatedAt: now }, warnings }
      })
      return await answerWritten(component, warnings)
    },

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findForEdit(transaction, target)
        const users = await usersOf(transaction, target.workspaceId, target.componentId)
        if (users.length > 0) throw inUse(target.componentId, users)
        await removeComponent(transaction, target.componentId)
      }),
  }
}

function asGraph({ nodes, start_node_id }: DialogGraph) {
  return { nodes, startNodeId: start_node_id }
}

function toItem({ id, workspaceId, definition, createdAt, updatedAt }: StoredComponent): FlowComponentItem {
  return {
    flow_component_id: id,
    workspaceId,
    name: definition.name,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  }
}

function toAnswer(found: StoredComponent): FlowComponent {
  const { name, start_node_id, nodes, tools } = found.definition
  return { ...toItem(found), name, start_node_id, nodes, tools }
}

function runsItself(id: string): AppError {
  const message = `must not run the component "${id}" itself, directly or through others`
  return new AppError('invalid_request', `nodes: ${message}`, { details: [{ path: 'nodes', message }] })
}

function inUse(componentId: string, users: readonly string[]): AppError {
  return new AppError(
    'in_use',
    `Flow component "${componentId}" is used by ${users.join(', ')}. Remove it from those flows and components first.`,
    { details: users.map((user) => ({ path: '', message: `used by ${user}` })) },
  )
}
