import { sharedComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import type { Transaction } from '../../kernel/storage/database.ts'
import { type Versioned, VersionStore } from '../../kernel/versions/version-store.ts'
import type { AgentFollowers } from '../engines/public.ts'
import { findComponent, findMentions } from './component-store.ts'
import { completeFlow, type FlowDefinition } from './flow-definition.ts'

/** An edit of a shared component. */
export interface ComponentChange {
  readonly workspaceId: number
  readonly componentId: string
  readonly now: number
}

const flows = new VersionStore<FlowDefinition>('conversation-flow')

/** Ids of the flows (by their newest version) and components that run the component themselves. */
export async function usersOfComponent(
  transaction: Transaction,
  workspaceId: number,
  componentId: string,
): Promise<{ readonly flows: readonly Versioned<FlowDefinition>[]; readonly components: readonly string[] }> {
  const mentions = await findMentions(transaction, workspaceId, componentId)
  const using: Versioned<FlowDefinition>[] = []
  for (const id of mentions.flows) {
    const flow = await flows.find(transaction, workspaceId, id, 'latest')
    if (flow !== null && sharedComponentIds(completeFlow(flow.definition)).includes(componentId)) using.push(flow)
  }
  const components: string[] = []
  for (const id of mentions.components) {
    const other = id === componentId ? null : await findComponent(transaction, workspaceId, id)
    if (other !== null && sharedComponentIds(other.definition).includes(componentId)) components.push(id)
  }
  return { flows: using, components }
}

/**
 * Gives every flow that runs the component, directly or through others, a next version when its newest is frozen: that one keeps
 * the component as it was. Agents follow as they follow an edit of the flow. Answers the names of those that stay.
 */
export async function followComponent(
  transaction: Transaction,
  followers: AgentFollowers,
  { workspaceId, componentId, now }: ComponentChange,
): Promise<readonly string[]> {
  const reached = new Set([componentId])
  const done = new Set<string>()
  const unreachedAgents: string[] = []
  // What is added while a set is gone through is visited too.
  for (const id of reached) {
    const users = await usersOfComponent(transaction, workspaceId, id)
    for (const other of users.components) reached.add(other)
    for (const { id: flowId, version, frozen, definition } of users.flows) {
      if (!frozen || done.has(flowId)) continue
      done.add(flowId)
      await flows.insertNext(transaction, { id: flowId, version: version + 1, now }, { definition })
      unreachedAgents.push(...(await followers.follow(transaction, { workspaceId, engineId: flowId, now })))
    }
  }
  return [...new Set(unreachedAgents)]
}
