import type { ErrorDetail } from '../errors.ts'
import type { FlowNode } from '../flow-node.ts'
import { type CanPassNode, findSilentDestinations } from './silent-passage.ts'

/** Warns once for each loop that never waits for the user. */
export function findLoopWarnings(nodes: readonly FlowNode[], canPassNode: CanPassNode): ErrorDetail[] {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]))
  const next = nodes.map((node) =>
    findSilentDestinations(node, canPassNode).flatMap((id) => (id === null ? [] : (indexes.get(id) ?? []))),
  )
  return findStronglyConnectedGroups(next).flatMap((members) => {
    const [first = 0] = members
    const isLoop = members.length > 1 || next[first]?.includes(first) === true
    // Other checks reject loops that contain only branches.
    if (!isLoop || members.every((index) => nodes[index]?.type === 'branch')) return []
    return [{ path: `nodes[${first}]`, message: describeLoop(members.map((index) => nodes[index]?.id ?? '')) }]
  })
}

const MAX_NAMED = 5

function describeLoop(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED).map((id) => `"${id}"`)
  const suffix = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : ''
  const subject = ids.length === 1 ? `Node ${named[0]} leads` : `Nodes ${named.join(', ')}${suffix} lead`
  const object = ids.length === 1 ? 'itself' : 'each other'
  return `${subject} back to ${object} without waiting for the user. The turn stops there if nothing changes on the way.`
}

/** Returns groups of nodes that lead to each other, each in ascending order (iterative Tarjan algorithm). */
function findStronglyConnectedGroups(next: readonly (readonly number[])[]): number[][] {
  const order = new Map<number, number>()
  const low = new Map<number, number>()
  const stack: number[] = []
  const isOpen = new Set<number>()
  const groups: number[][] = []
  const enter = (node: number): void => {
    order.set(node, order.size)
    low.set(node, order.get(node) ?? 0)
    stack.push(node)
    isOpen.add(node)
  }
  const lower = (node: number, value: number | undefined): void => {
    low.set(node, Math.min(low.get(node) ?? 0, value ?? 0))
  }
  const close = (node: number): void => {
    if (low.get(node) !== order.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    for (const member of group) isOpen.delete(member)
    groups.push(group.sort((left, right) => left - right))
  }
  for (const start of next.keys()) {
    if (order.has(start)) continue
    enter(start)
    const path = [{ node: start, at: 0 }]
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const destination = next[top.node]?.[top.at]
      top.at += 1
      if (destination === undefined) {
        close(top.node)
        path.pop()
        const parent = path.at(-1)
        if (parent !== undefined) lower(parent.node, low.get(top.node))
      } else if (!order.has(destination)) {
        enter(destination)
        path.push({ node: destination, at: 0 })
      } else if (isOpen.has(destination)) lower(top.node, order.get(destination))
    }
  }
  return groups.sort(([left = 0], [right = 0]) => left - right)
}
