import type { Nodes } from '../../kernel/work/nodes.ts'

/** The one process of an embedded installation: nobody else is alive, and nobody notices a death. */
export function createEmbeddedNodes(nodeId: string): Nodes {
  return {
    nodeId,
    isAlive: async (id) => id === nodeId,
    onDeath: () => undefined,
  }
}
