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
  buildUnaffectedAgentWarnings,
  createStoredEngines,
  findKnowledgeWarnings,
  findMissingAgentWarnings,
  findModelWarnings,
  findSecretWarnings,
  findStoredDefinitions,
  type ModelDirectories,
  type ModelDirectory,
  type StoredEngines,
  type StoredEnginesDependencies,
  type VersionedService,
} from '../engines/public.ts'
import { loadComponentOutlines } from './collect-components.ts'
import {
  findSizeProblems,
  findTruncationWarnings,
  getWarningMessages,
  limitWarnings,
  listInBatches,
  listNodeKnowledgeBases,
  listNodeModels,
  listReferencedAgents,
  rejectProblems,
} from './flow-checks.ts'
import {
  completeFlow,
  defineFlow,
  editFlow,
  type FlowDefinition,
  findStartWarnings,
  toFlow,
  toFlowItem,
  toFlowVersion,
} from './flow-definition.ts'
import { createFlowSource, type FlowSource } from './flow-source.ts'
import { createNodeIndexFinder, fillEdgeIds, mergeNodes, reuseEdgeIds } from './merge-nodes.ts'

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
  /** Returns the errors and warnings that `create` would return. */
  validate(workspaceId: number, body: CreateConversationFlowBody): Promise<FlowValidation>
}

export function createFlowService(dependencies: FlowServiceDependencies): FlowService {
  const { database } = dependencies
  const engines = createStoredEngines<FlowDefinition>(dependencies, { kind: 'conversation-flow', label: RESOURCE_NAME })
  const context: FlowServiceContext = { ...dependencies, engines, source: createFlowSource() }

  return {
    create: (workspaceId, body) => createFlow(context, workspaceId, body),

    validate: (workspaceId, body) => validateFlow(dependencies, workspaceId, body),

    list: (workspaceId, page) =>
      listInBatches(page, (pageRequest) => engines.store.list(database.read, workspaceId, pageRequest), toFlowItem),

    get: async (workspaceId, flowId, selector) =>
      toFlowWithEditCount(await engines.find(database.read, workspaceId, flowId, selector)),

    update: (target, body) => updateFlow(context, target, body),

    remove: engines.remove,

    async listVersions(workspaceId, flowId, page) {
      const versionPage = await engines.listVersions(workspaceId, flowId, page)
      return { ...versionPage, items: versionPage.items.map(toFlowVersion) }
    },

    publish: (target, publication) => publishFlow(context, target, publication),
  }
}

interface FlowServiceContext extends FlowServiceDependencies {
  readonly engines: StoredEngines<FlowDefinition>
  readonly source: Pick<FlowSource, 'freeze'>
}

/** A flow to check for warnings. */
interface UncheckedFlow {
  readonly modelDirectory: ModelDirectory
  readonly workspaceId: number
  readonly definition: FlowDefinition
  readonly switches: FlowSwitchInput
}

async function createFlow(
  context: FlowServiceContext,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { models, engines, makeId } = context
  const modelDirectory = await models.forWorkspace(workspaceId)
  const encryptedBody = await encryptNewFlow(context, workspaceId, body)
  const { definition, problems } = planNewFlow(encryptedBody, buildPlanningOptions(context, modelDirectory))
  rejectProblems(problems)
  const insertedVersion = await engines.insert({ id: makeId('conversation_flow'), workspaceId }, definition)
  return await describeSaved(context, insertedVersion, { modelDirectory, warnings: [], switches: body })
}

async function validateFlow(
  dependencies: FlowServiceDependencies,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<FlowValidation> {
  const modelDirectory = await dependencies.models.forWorkspace(workspaceId)
  const { definition, problems } = planNewFlow(body, buildPlanningOptions(dependencies, modelDirectory))
  const uncheckedFlow = { modelDirectory, workspaceId, definition, switches: body }
  const warnings = limitWarnings(await findFlowWarnings(dependencies, uncheckedFlow))
  const errors = [
    ...problems,
    ...(await encryptNewFlow(dependencies, workspaceId, body).then(() => [], getErrorDetails)),
  ]
  return { valid: errors.length === 0, errors, warnings }
}

async function updateFlow(
  context: FlowServiceContext,
  target: VersionEditTarget,
  body: UpdateConversationFlowBody,
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { database, models, vault, engines } = context
  const { workspaceId } = target
  const modelDirectory = await models.forWorkspace(workspaceId)
  const olderDefinitions = await findStoredDefinitions(database.read, body, target)
  let warnings: readonly string[] = []
  const { version, unaffectedAgents } = await engines.update(target, (current) => {
    const stored = completeFlow(current)
    const encryptedBody = vault.encrypt(body, { workspaceId, storedDefinitions: [stored, ...olderDefinitions] })
    const plannedEdit = planFlowEdit(stored, encryptedBody, buildPlanningOptions(context, modelDirectory))
    warnings = plannedEdit.warnings
    // Keeps the stored value if nothing changes, even in rows that lack recently added fields.
    return isDeepStrictEqual(plannedEdit.definition, stored) ? current : plannedEdit.definition
  })
  const allWarnings = [...warnings, ...buildUnaffectedAgentWarnings(unaffectedAgents)]
  return await describeSaved(context, version, { modelDirectory, warnings: allWarnings, switches: body })
}

function publishFlow(
  { database, clock, engines, source }: FlowServiceContext,
  { workspaceId, id, ifMatch, version: requestedVersion }: VersionEditTarget,
  publication: Publication,
): Promise<WithEditCount<ConversationFlow>> {
  return database.transaction(async (transaction) => {
    const { version, editCount } = await engines.find(transaction, workspaceId, id, requestedVersion ?? 'latest')
    checkEditCount({ kind: RESOURCE_NAME, id }, ifMatch, editCount)
    const target = { id, version, now: clock.now() }
    await source.freeze(transaction, target)
    await engines.store.publish(transaction, target, publication)
    return toFlowWithEditCount(await engines.find(transaction, workspaceId, id, version))
  })
}

function buildPlanningOptions({ makeId }: Pick<FlowServiceDependencies, 'makeId'>, { defaultModel }: ModelDirectory) {
  return { defaultModel, makeEdgeId: () => makeId('edge') }
}

async function encryptNewFlow(
  { database, vault }: Pick<FlowServiceDependencies, 'database' | 'vault'>,
  workspaceId: number,
  body: CreateConversationFlowBody,
): Promise<CreateConversationFlowBody> {
  const storedDefinitions = await findStoredDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
  return vault.encrypt(body, { workspaceId, storedDefinitions })
}

/** Builds the response after the commit, so that its reads do not block the writer. */
async function describeSaved(
  dependencies: FlowServiceDependencies,
  version: Versioned<FlowDefinition>,
  {
    modelDirectory,
    warnings,
    switches,
  }: Pick<UncheckedFlow, 'modelDirectory' | 'switches'> & { readonly warnings: readonly string[] },
): Promise<WithEditCount<ConversationFlowWritten>> {
  const { workspaceId } = version
  const uncheckedFlow = {
    modelDirectory: modelDirectory,
    workspaceId,
    definition: completeFlow(version.definition),
    switches,
  }
  const allWarnings = [...warnings, ...(await findFlowWarnings(dependencies, uncheckedFlow))]
  return { response: { ...toFlow(version), warnings: limitWarnings(allWarnings) }, editCount: version.editCount }
}

async function findFlowWarnings(
  { database, vault }: Pick<FlowServiceDependencies, 'database' | 'vault'>,
  { modelDirectory, workspaceId, definition, switches }: UncheckedFlow,
): Promise<string[]> {
  const { nodes, components, model_choice } = definition
  const { shared, isTruncated } = await loadComponentOutlines(database.read, {
    workspaceId,
    ids: listSharedComponentIds(definition),
  })
  return [
    ...findModelWarnings(modelDirectory, [model_choice.model, ...listNodeModels(nodes, components)]),
    ...getWarningMessages(findUnusedSwitches(switches)),
    ...getWarningMessages(findFlowProblems(definition, { shared }).warnings),
    ...findTruncationWarnings(isTruncated),
    ...(await findKnowledgeWarnings(database.read, workspaceId, [
      ...definition.knowledge_base_ids,
      ...listNodeKnowledgeBases(nodes, components),
    ])),
    ...(await findMissingAgentWarnings(
      database.read,
      workspaceId,
      [definition, ...components].flatMap(listReferencedAgents),
    )),
    ...(await findSecretWarnings(database.read, workspaceId, vault.decrypt(definition, workspaceId))),
  ]
}

function getErrorDetails(error: unknown): readonly ErrorDetail[] {
  if (error instanceof AppError) return error.details
  throw error
}

function toFlowWithEditCount(version: Versioned<FlowDefinition>): WithEditCount<ConversationFlow> {
  return { response: toFlow(version), editCount: version.editCount }
}

interface FlowDefaults {
  readonly defaultModel: string
  readonly makeEdgeId: () => string
}

/** Builds the flow from a create body, together with its validation errors. */
function planNewFlow(
  body: CreateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly problems: readonly ErrorDetail[] } {
  const nodes = fillEdgeIds(body.nodes, makeEdgeId)
  const definition = defineFlow(
    body,
    { nodes, components: fillComponentEdgeIds(body.components, makeEdgeId) },
    defaultModel,
  )
  return { definition, problems: [...findFlowErrors(definition), ...findSizeProblems(definition)] }
}

/** Builds the flow after an edit. Throws `invalid_request` if the result is invalid. */
function planFlowEdit(
  current: FlowDefinition,
  body: UpdateConversationFlowBody,
  { defaultModel, makeEdgeId }: FlowDefaults,
): { readonly definition: FlowDefinition; readonly warnings: readonly string[] } {
  const mergeResult = mergeNodes(current.nodes, body)
  rejectProblems(mergeResult.problems)
  const nodes = fillEdgeIds(mergeResult.nodes, makeEdgeId)
  const components = fillComponentEdgeIds(editComponents(current.components, body.components), makeEdgeId)
  const definition = editFlow(current, body, { nodes, components, defaultModel })
  rejectProblems([...findFlowErrors(definition, createNodeIndexFinder(body.nodes)), ...findSizeProblems(definition)])
  const startWarnings = findStartWarnings(current.start_node_id, definition.start_node_id, body.start_node_id)
  return { definition, warnings: [...mergeResult.warnings, ...startWarnings] }
}

/** Assigns an id to every edge of local components that has none. */
function fillComponentEdgeIds(
  components: readonly LocalFlowComponent[],
  makeEdgeId: () => string,
): LocalFlowComponent[] {
  return components.map((component) => ({ ...component, nodes: fillEdgeIds(component.nodes, makeEdgeId) }))
}

/** Returns the component list after a PATCH. Reuses stored edge ids, so that repeating a write changes nothing. */
function editComponents(
  stored: readonly LocalFlowComponent[],
  changes: readonly LocalFlowComponent[] | undefined,
): readonly LocalFlowComponent[] {
  if (changes === undefined) return stored
  const storedById = new Map(stored.map((component) => [getLocalComponentId(component), component]))
  return changes.map((component) => {
    const storedNodes = new Map(storedById.get(getLocalComponentId(component))?.nodes.map((node) => [node.id, node]))
    return { ...component, nodes: component.nodes.map((node) => reuseEdgeIds(node, storedNodes.get(node.id))) }
  })
}
