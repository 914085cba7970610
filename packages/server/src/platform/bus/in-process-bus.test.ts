import { describeOwnNode } from './bus-contract-test-kit.ts'
import { createInProcessBus } from './in-process-bus.ts'

describeOwnNode('the bus of one process', { open: ({ logError }) => createInProcessBus(logError) })
