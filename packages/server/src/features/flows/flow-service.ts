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
import type { ErrorDetail } from '@parley/contract/errors'
import { listSharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import { findFlowErrors, findFlowProblems } from '@parley/contract/flow-problems/flow-problems'
import { type FlowSwitchInput, findUnusedSwitches } from '@parley/contract/flow-problems/unused-settings'
import { getLocalComponentId, type LocalFlowComponent } from '@parley/contract/local-component'
import type { MakeId } from '@parley/engine/ports'
import { checkEditCount, type VersionEditTarget, type WithEditCount } from '../../kernel/api/edits.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Publication, Versioned } from '../../kernel/versions/version-store.ts'
import {
  agentWarnings,
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
import { outlineComponents } from './collect-components.ts'
import {
  knowledgeOf,
  listInBatches,
  modelsOf,
  referencedAgents,
  refuseProblems,
  sentencesOf,
  shorten,
  sizeProblems,
  truncationWarnings,
} from './flow-checks.ts'
import {
  completeFlow,
  defineFlow,
  editFlow,
  type FlowDefinition,
  startWarnings,
  toFlow,
  toFlowItem,
  toFlowVersion,
} from './flow-definition.ts'
import { createFlowSource, type FlowSource } from './flow-source.ts'
import { adoptEdgeIds, fillEdgeIds, mergeNodes, placesIn } from './merge-nodes.ts'

/** Display name of a flow in error messages. */
const RESOURCE_NAME = 'conversation flow'

interface FlowServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface FlowService
  extends VersionedService<
    CreateConversationFlowBody,
    UpdateConversationFlowBody,
    ConversationFlow,
    ConversationFlowVersion,
    ConversationFlowItem
  > {
  /** Returns the errors and warnings of `create`. */
  validate(workspaceId: number, body: CreateConversationFlowBody): Promise<FlowValidation>
}

export function createFlowService(dependencies: FlowServiceDependencies): FlowService {
  const { database } = dependencies
  const engines = createStoredEngines<FlowDefinition>(dependencies, { kind: 'conversation-flow', what: RESOURCE_NAME })
  const parts: FlowParts = { ...dependencies, engines, source: createFlowSource() }

  return {
    create: (workspaceId, body) => createFlow(parts, workspaceId, body),

    validate: (workspaceId, body) => validateFlow(dependencies, workspaceId, body),

    list: (workspaceId, page) =>
      listInBatches(page, (part) => engines.store.list(database.read, workspaceId, part), toFlowItem),

    get: async (workspaceId, flowId, selector) =>
      atEdit(await engines.find(database.read, workspaceId, flowId, selector)),

    update: (target, body) => updateFlow(parts, target, body),

    remove: engines.remove,

    async listVersions(workspaceId, flowId, page) {
      const found = await engines.listVersions(workspaceId, flowId, page)
      return { ...found, items: found.items.map(toFlowVersion) }
    },

    publish: (target, publication) => publishFlow(parts, target, publication),
  }
}

interface FlowParts extends FlowServiceDependencies {
  readonly engines: StoredEngines<FlowDefinition>
  readonly source: Pick<FlowSource, 'freeze'>
}

/** A flow to check for likely mistakes. */
interface CheckedFlow {
  readonly usable: ModelDirectory
  readonly workspaceId: number
  readonly definition: FlowDefinition
  readonly switches: FlowSwitchInput
}

async function createFlow(
  parts: FlowParts,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { models, engines, makeId } = parts
  const usable = await models.forWorkspace(workspaceId)
  const sealed = await sealNew(parts, workspaceId, body)
  const { definition, problems } = planNewFlow(sealed, planningOptions(parts, usable))
  refuseProblems(problems)
  const inserted = await engines.insert({ id: makeId('conversation_flow'), workspaceId }, definition)
  return await describeSaved(parts, inserted, { usable, warnings: [], switches: body })
}

async function validateFlow(
  dependencies: FlowServiceDependencies,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<FlowValidation> {
  const usable = await dependencies.models.forWorkspace(workspaceId)
  const { definition, problems } = planNewFlow(body, planningOptions(dependencies, usable))
  const checked = { usable, workspaceId, definition, switches: body }
  const warnings = shorten(await warningsOf(dependencies, checked))
  const errors = [...problems, ...(await sealNew(dependencies, workspaceId, body).then(() => [], detailsOf))]
  return { valid: errors.length === 0, errors, warnings }
}

async function updateFlow(
  parts: FlowParts,
  target: VersionEditTarget,
  body: UpdateConversationFlowBody,
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { database, models, vault, engines } = parts
  const { workspaceId } = target
  const usable = await models.forWorkspace(workspaceId)
  const older = await findKnownDefinitions(database.read, body, target)
  let warnings: readonly string[] = []
  const { version, unreachedAgents } = await engines.update(target, (current) => {
    const stored = completeFlow(current)
    const sealed = vault.seal(body, { workspaceId, known: [stored, ...older] })
    const planned = planFlowEdit(stored, sealed, planningOptions(parts, usable))
    warnings = planned.warnings
    // An empty edit stays empty, even for rows from before some fields existed.
    return isDeepStrictEqual(planned.definition, stored) ? current : planned.definition
  })
  const all = [...warnings, ...unreachedAgentWarnings(unreachedAgents)]
  return await describeSaved(parts, version, { usable, warnings: all, switches: body })
}

function publishFlow(
  { database, clock, engines, source }: FlowParts,
  { workspaceId, id, ifMatch, version: named }: VersionEditTarget,
  publication: Publication,
): Promise<WithEditCount<ConversationFlow>> {
  return database.transaction(async (transaction) => {
    const { version, editCount } = await engines.find(transaction, workspaceId, id, named ?? 'latest')
    checkEditCount({ what: RESOURCE_NAME, id }, ifMatch, editCount)
    const published = { id, version, now: clock.now() }
    await source.freeze(transaction, published)
    await engines.store.publish(transaction, published, publication)
    return atEdit(await engines.find(transaction, workspaceId, id, version))
  })
}

function planningOptions({ makeId }: Pick<FlowServiceDependencies, 'makeId'>, { defaultModel }: ModelDirectory) {
  return { defaultModel, makeEdgeId: () => makeId('edge') }
}

async function sealNew(
  { database, vault }: Pick<FlowServiceDependencies, 'database' | 'vault'>,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<CreateConversationFlowBody> {
  const known = await findKnownDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
  return vault.seal(body, { workspaceId, known })
}

/** Runs after the commit, so that reads for the response do not block the writer. */
async function describeSaved(
  dependencies: FlowServiceDependencies,
  found: Versioned<FlowDefinition>,
  { usable, warnings, switches }: Pick<CheckedFlow, 'usable' | 'switches'> & { readonly warnings: readonly string[] },
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { workspaceId } = found
  const checked = { usable, workspaceId, definition: completeFlow(found.definition), switches }
  const all = [...warnings, ...(await warningsOf(dependencies, checked))]
  return { answer: { ...toFlow(found), warnings: shorten(all) }, editCount: found.editCount }
}

async function warningsOf(
  { database, vault }: Pick<FlowServiceDependencies, 'database' | 'vault'>,
  { usable, workspaceId, definition, switches }: CheckedFlow,
): Promise<string[]> {
  const { nodes, components, model_choice } = definition
  const { shared, isTruncated } = await outlineComponents(database.read, {
    workspaceId,
    ids: listSharedComponentIds(definition),
  })
  return [
    ...modelWarnings(usable, [model_choice.model, ...modelsOf(nodes, components)]),
    ...sentencesOf(findUnusedSwitches(switches)),
    ...sentencesOf(findFlowProblems(definition, { shared }).warnings),
    ...truncationWarnings(isTruncated),
    ...(await knowledgeWarnings(database.read, workspaceId, [
      ...definition.knowledge_base_ids,
      ...knowledgeOf(nodes, components),
    ])),
    ...(await agentWarnings(database.read, workspaceId, [definition, ...components].flatMap(referencedAgents))),
    ...(await secretWarnings(database.read, workspaceId, vault.open(definition, workspaceId))),
  ]
}

function detailsOf(error: unknown): readonly ErrorDetail[] {
  if (error instanceof AppError) return error.details
  throw error
}

function atEdit(found: Versioned<FlowDefinition>): WithEditCount<ConversationFlow> {
  return { answer: toFlow(found), editCount: found.editCount }
}

interface FlowDefaults {
  readonly defaultModel: string
  readonly makeEdgeId: () => string
}

/** The flow in a body and its validation errors. */
function planNewFlow(
  body: CreateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly problems: readonly ErrorDetail[] } {
  const nodes = fillEdgeIds(body.nodes, makeEdgeId)
  const definition = defineFlow(body, { nodes, components: fillComponents(body.components, makeEdgeId) }, defaultModel)
  return { definition, problems: [...findFlowErrors(definition), ...sizeProblems(definition)] }
}

/** The flow after an edit. Throws `invalid_request` for an invalid result. */
function planFlowEdit(
  current: FlowDefinition,
  body: UpdateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly warnings: readonly string[] } {
  const merged = mergeNodes(current.nodes, body)
  refuseProblems(merged.problems)
  const nodes = fillEdgeIds(merged.nodes, makeEdgeId)
  const components = fillComponents(editComponents(current.components, body.components), makeEdgeId)
  const definition = editFlow(current, body, { nodes, components, defaultModel })
  refuseProblems([...findFlowErrors(definition, placesIn(body.nodes)), ...sizeProblems(definition)])
  const moved = startWarnings(current.start_node_id, definition.start_node_id, body.start_node_id)
  return { definition, warnings: [...merged.warnings, ...moved] }
}

/** Gives every edge of local components without an id a new one. */
function fillComponents(components: readonly LocalFlowComponent[], makeEdgeId: () => string): LocalFlowComponent[] {
  return components.map((component) => ({ ...component, nodes: fillEdgeIds(component.nodes, makeEdgeId) }))
}

/** The complete list of a PATCH with the ids its edges had. Repeating a write changes nothing. */
function editComponents(
  stored: readonly LocalFlowComponent[],
  given: readonly LocalFlowComponent[] | undefined,
): readonly LocalFlowComponent[] {
  if (given === undefined) return stored
  const known = new Map(stored.map((component) => [getLocalComponentId(component), component]))
  return given.map((component) => {
    const before = new Map(known.get(getLocalComponentId(component))?.nodes.map((node) => [node.id, node]))
    return { ...component, nodes: component.nodes.map((node) => adoptEdgeIds(node, before.get(node.id))) }
  })
}
