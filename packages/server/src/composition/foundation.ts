import type { Access } from './connect-access.ts'
import type { Cluster } from './connect-cluster.ts'
import type { Outbound } from './connect-outbound.ts'
import type { Storage } from './connect-storage.ts'
import type { Address, Runtime } from './runtime.ts'

/** Services below the features. Each `connect` function picks the parts that it needs. */
export interface Foundation {
  readonly runtime: Runtime
  readonly storage: Storage
  readonly cluster: Cluster
  readonly outbound: Outbound
  readonly access: Access
  readonly address: Address
}
