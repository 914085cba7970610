import { CreateConversationFlowBody, UpdateConversationFlowBody } from '@parley/contract/conversation-flow'
import { CreateFlowComponentBody, UpdateFlowComponentBody } from '@parley/contract/flow-component'
import { FlowNode } from '@parley/contract/flow-node'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSecrets } from '../../platform/secrets/sealed-secrets.ts'
import type { AgentFollowers } from '../engines/stored-engines.ts'
import { createToolVault } from '../engines/tool-vault.ts'
import { createComponentService } from './component-service.ts'
import { createFlowService } from './flow-service.ts'
import { createFlowSource } from './flow-source.ts'

/** Builds an edge without an id, as a client writes it. */
export const buildEdge = (destination: string | undefined, prompt = 'Go on'): object => ({
  transition_condition: { type: 'prompt', prompt },
  ...(destination !== undefined && { destination_node_id: destination }),
})

/** Builds a conversation node with edges to other nodes. */
export const buildConversationNode = (id: string, ...destinations: readonly string[]): object => ({
  id,
  type: 'conversation',
  instruction: { type: 'prompt', text: `Be ${id}.` },
  edges: destinations.map((destination) => buildEdge(destination)),
})

/** Builds a component node. */
export const buildComponentNode = (id: string, component_id: string, fields: object = {}): object => {
  return { id, type: 'component', component_id, ...fields }
}

/** Parses nodes with the schema. */
export const parseNodes = (nodes: readonly object[]): FlowNode[] => nodes.map((node) => FlowNode.parse(node))

/** Opens flows and components in workspace 1 of a database with two workspaces. Only the model `offline` exists. */
export async function openFlows() {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const { clock } = time
  let ids = 0
  const makeId = (prefix: string): string => `${prefix}_${++ids}`
  const followedChanges: unknown[] = []
  const users: { id: string; name: string }[] = []
  const unaffectedAgents: string[] = []
  const usable = {
    resolve: (name: string) => (name === 'offline' ? {} : null),
    listConfigured: () => ['offline', 'fake/*'],
    defaultModel: 'offline',
  }
  const models = { forWorkspace: async () => usable }
  const followers: AgentFollowers = {
    follow: async (_transaction, change) => {
      followedChanges.push(change)
      return unaffectedAgents
    },
  }
  const vault = createToolVault(createSecrets('a key for tests'))
  const dependencies = { database, clock, makeId, models, followers, vault }
  const flows = createFlowService({ ...dependencies, users: { findUsers: async () => users } })
  const components = createComponentService(dependencies)
  const target = (id: string, ifMatch: number | null = null) => ({ workspaceId: 1, id, ifMatch })
  return {
    ...{ database, time, makeId, flows, components, followed: followedChanges, users, unaffectedAgents, target },
    create: (nodes: readonly object[], fields: object = {}) =>
      flows.create(1, CreateConversationFlowBody.parse({ nodes, ...fields })),
    validate: (nodes: readonly object[], fields: object = {}) =>
      flows.validate(1, CreateConversationFlowBody.parse({ nodes, ...fields })),
    patch: (flowId: string, body: object, options: { version?: number; ifMatch?: number } = {}) =>
      flows.update(
        { ...target(flowId, options.ifMatch ?? null), version: options.version },
        UpdateConversationFlowBody.parse(body),
      ),
    addComponent: (nodes: readonly object[], fields: object = {}) =>
      components.create(1, CreateFlowComponentBody.parse({ nodes, ...fields })),
    patchComponent: (componentId: string, body: object, ifMatch: number | null = null) =>
      components.update(target(componentId, ifMatch), UpdateFlowComponentBody.parse(body)),
    /** Freezes the flow's version, as the first conversation with the version does. */
    use: (id: string, version: number) =>
      database.transaction((transaction) => createFlowSource().freeze(transaction, { id, version, now: clock.now() })),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
