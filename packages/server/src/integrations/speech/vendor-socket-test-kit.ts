import type { Clock } from '@parley/engine/ports'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createGuardedSocketOpener, type OpenGuardedSocket } from '../../platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'

/** Creates an opener for sockets to one port of the loopback interface. */
export function createLoopbackOpener(port: number, clock: Clock): OpenGuardedSocket {
  return createGuardedSocketOpener({
    clock,
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${port}`] }),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    makeConnector: createLoopbackConnector,
  })
}
