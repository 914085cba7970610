import type { ErrorDetail } from '../errors.ts'
import type { FlowNode } from '../flow-node.ts'
import { type CanPassNode, findSilentDestinations } from './silent-passage.ts'

/** Warns once for each loop that never waits for the user. */
export function findLoopWarnings(nodes: readonly FlowNode[], canPassNode: CanPassNode): ErrorDetail[] {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]))
  const destinations = nodes.map((node) =>
    findSilentDestinations(node, canPassNode).flatMap((id) => (id === null ? [] : (indexes.get(id) ?? []))),
  )
  return findStronglyConnectedGroups(destinations).flatMap((members) => {
    const [firstIndex = 0] = members
    const isLoop = members.length > 1 || destinations[firstIndex]?.includes(firstIndex) === true
    // Other checks reject loops that contain only branches.
    if (!isLoop || members.every((index) => nodes[index]?.type === 'branch')) return []
    return [{ path: `nodes[${firstIndex}]`, message: describeLoop(members.map((index) => nodes[index]?.id ?? '')) }]
  })
}

const MAX_LISTED_IDS = 5

function describeLoop(ids: readonly string[]): string {
  const quotedIds = ids.slice(0, MAX_LISTED_IDS).map((id) => `"${id}"`)
  const suffix = ids.length > MAX_LISTED_IDS ? ` and ${ids.length - MAX_LISTED_IDS} more` : ''
  const subject = ids.length === 1 ? `Node ${quotedIds[0]} leads` : `Nodes ${quotedIds.join(', ')}${suffix} lead`
  const object = ids.length === 1 ? 'itself' : 'each other'
  return `${subject} back to ${object} without waiting for the user. The turn stops there if nothing changes on the way.`
}

/** Returns groups of nodes that lead to each other, each in ascending order (iterative Tarjan algorithm). */
function findStronglyConnectedGroups(destinations: readonly (readonly number[])[]): number[][] {
  const order = new Map<number, number>()
  const lowLinks = new Map<number, number>()
  const stack: number[] = []
  const nodesOnStack = new Set<number>()
  const groups: number[][] = []
  const enter = (node: number): void => {
    order.set(node, order.size)
    lowLinks.set(node, order.get(node) ?? 0)
    stack.push(node)
    nodesOnStack.add(node)
  }
  const updateLowLink = (node: number, value: number | undefined): void => {
    lowLinks.set(node, Math.min(lowLinks.get(node) ?? 0, value ?? 0))
  }
  const closeGroup = (node: number): void => {
    if (lowLinks.get(node) !== order.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    for (const member of group) nodesOnStack.delete(member)
    groups.push(group.sort((left, right) => left - right))
  }
  for (const start of destinations.keys()) {
    if (order.has(start)) continue
    enter(start)
    const frames = [{ node: start, edgeIndex: 0 }]
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const destination = destinations[frame.node]?.[frame.edgeIndex]
      frame.edgeIndex += 1
      if (destination === undefined) {
        closeGroup(frame.node)
        frames.pop()
        const parentFrame = frames.at(-1)
        if (parentFrame !== undefined) updateLowLink(parentFrame.node, lowLinks.get(frame.node))
      } else if (!order.has(destination)) {
        enter(destination)
        frames.push({ node: destination, edgeIndex: 0 })
      } else if (nodesOnStack.has(destination)) updateLowLink(frame.node, order.get(destination))
    }
  }
  return groups.sort(([left = 0], [right = 0]) => left - right)
}
