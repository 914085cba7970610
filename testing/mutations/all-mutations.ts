import { FAILOVER } from './failover.ts'
import { FLOW_DECISIONS } from './flow.ts'
import type { Mutation } from './mutation.ts'
import { RETRIEVAL_FAULTS } from './retrieval.ts'
import { RIGHTS } from './rights.ts'
import { STORAGE } from './storage.ts'
import { TOOLS_OF_AGENTS } from './tools.ts'
import { TURN_MACHINE } from './turn-machine.ts'
import { TURN_ORDER } from './turn-order.ts'

/** All planted faults. */
export const MUTATIONS: readonly Mutation[] = [
  ...TURN_ORDER,
  ...FAILOVER,
  ...FLOW_DECISIONS,
  ...RIGHTS,
  ...TOOLS_OF_AGENTS,
  ...STORAGE,
  ...TURN_MACHINE,
  ...RETRIEVAL_FAULTS,
]
