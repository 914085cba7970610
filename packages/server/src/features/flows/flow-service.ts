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
import type { MakeId } from '@parley/engine/ports'
import type { AtEdit } from '../../kernel/edits.ts'
import { type ModelDirectories, type ModelDirectory, modelWarnings } from '../../kernel/model-directory.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import {
  createStoredEngines,
  type EngineTarget,
  type StoredEnginesDependencies,
  stayingWarnings,
} from '../../kernel/stored-engines.ts'
import type { Publication, Versioned } from '../../kernel/version-store.ts'
import { outlineComponents } from './component-store.ts'
import { componentIdsOf } from './dialog-graph.ts'
import { type FlowDefinition, toFlow, toFlowItem, toFlowVersion } from './flow-definition.ts'
import { graphWarnings, modelsOf, shorten, variableWarnings } from './flow-warnings.ts'
import { listInParts } from './list-in-parts.ts'
import { planFlowEdit, planNewFlow } from './plan-flow.ts'
import { refuseProblems } from './refuse-problems.ts'
import { undefinedVariables } from './undefined-variables.ts'

export interface FlowServiceDependencies extends StoredEnginesDependencies {
  readonly makeId: MakeId
  readonly models: ModelDirectories
}

export interface FlowService {
  create(workspaceId: number, body: CreateConversationFlowBody): Promise<AtEdit<ConversationFlowWritten>>
  /** What `create` would refuse and warn of. */
  validate(workspaceId: number, body: CreateConversationFlowBody): Promise<FlowValidation>
  list(workspaceId: number, page: PageRequest): Promise<Page<ConversationFlowItem>>
  get(workspaceId: number, flowId: string, selector: VersionSelector): Promise<AtEdit<ConversationFlow>>
  update(target: EngineTarget, body: UpdateConversationFlowBody): Promise<AtEdit<ConversationFlowWritten>>
  remove(target: EngineTarget): Promise<void>
  listVersions(workspaceId: number, flowId: string, page: PageRequest): Promise<Page<ConversationFlowVersion>>
  publish(target: EngineTarget, publication: Publication): Promise<AtEdit<ConversationFlow>>
}

export function createFlowService(dependencies: FlowServiceDependencies): FlowService {
  const { database, makeId, models } = dependencies
  const engines = createStoredEngines<FlowDefinition>(dependencies, {
    kind: 'conversation-flow',
    what: 'conversation flow',
  })
  const makeEdgeId = () => makeId('edge')

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
      const made = await engines.insert({ id: makeId('conversation_flow'), workspaceId }, definition)
      return await answerWritten(usable, made, [])
    },

    async validate(workspaceId, body) {
      const usable = await models.forWorkspace(workspaceId)
      const { definition, problems } = planNewFlow(body, { defaultModel: usable.defaultModel, makeEdgeId })
      const warnings = shorten(await warningsOf(usable, workspaceId, definition))
      return { valid: problems.length === 0, errors: [...problems], warnings }
    },

    list: (workspaceId, page) =>
      listInParts(page, (part) => engines.store.list(database.read, workspaceId, part), toFlowItem),

    get: async (workspaceId, flowId, selector) =>
      atEdit(await engines.find(database.read, workspaceId, flowId, selector)),

    async update(target, body) {
      const usable = await models.forWorkspace(target.workspaceId)
      let warnings: readonly string[] = []
      const { version, staying } = await engines.update(target, (current) => {
        const planned = planFlowEdit(current, body, { defaultModel: usable.defaultModel, makeEdgeId })
        warnings = planned.warnings
        return planned.definition
      })
      return await answerWritten(usable, version, [...warnings, ...stayingWarnings(staying)])
    },

    remove: engines.remove,

    async listVersions(workspaceId, flowId, page) {
      const found = await engines.listVersions(workspaceId, flowId, page)
      return { ...found, items: found.items.map(toFlowVersion) }
    },

    publish: async (target, publication) => atEdit(await engines.publish(target, publication)),
  }
}

function atEdit(found: Versioned<FlowDefinition>): AtEdit<ConversationFlow> {
  return { answer: toFlow(found), editCount: found.editCount }
}
