import type { Access } from './connect-access.ts'
import type { Cluster } from './connect-cluster.ts'
import type { Outbound } from './connect-outbound.ts'
import type { Storage } from './connect-storage.ts'
import type { Address, Runtime } from './runtime.ts'

/** What the features stand on, in parts: each function that connects some of them names the parts it takes. */
export interface Foundation {
  readonly runtime: Runtime
  readonly storage: Storage
  readonly cluster: Cluster
  readonly outbound: Outbound
  readonly access: Access
  readonly address: Address
}
