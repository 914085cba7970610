import type { Nodes } from '../../kernel/work/nodes.ts'

/** Creates the only node of an embedded installation. */
export function createEmbeddedNodes(nodeId: string): Nodes {
  return {
    nodeId,
    isAlive: async (id) => id === nodeId,
    onNodeCrash: () => undefined,
  }
}
