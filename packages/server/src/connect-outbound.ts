import { createOfflineModel } from '@parley/engine/dialogue/offline/offline-model'
import type { Clock } from '@parley/engine/ports'
import type { Config } from './config.ts'
import type { Foundation } from './connect-features.ts'
import { createGuardedClient } from './platform/outbound/guarded-request.ts'
import { createTargetPolicy } from './platform/outbound/target-policy.ts'
import { createModelCatalogue } from './providers/models/catalogue.ts'
import { createModelDispatcher } from './providers/models/model-dispatcher.ts'
import { costOf, loadPrices } from './providers/models/prices.ts'
import { createHttpToolClient } from './providers/tools/http-tool-client.ts'
import { orStartError } from './start-error.ts'

export interface Outbound extends Pick<Foundation, 'models' | 'costOf' | 'toolClients'> {
  /** Ends all requests under way. */
  close(): Promise<void>
}

/** Everything that goes out of the house: models, their prices, and the customers' tools behind the guard. */
export async function connectOutbound(config: Config, clock: Clock, version: string): Promise<Outbound> {
  const policy = await orStartError(() => createTargetPolicy(config), 'ALLOW_PRIVATE_TARGETS')
  const prices = await orStartError(() => loadPrices(config.pricesFile), 'PRICES_FILE')
  const modelHttp = createModelDispatcher()
  const guarded = createGuardedClient({ policy, clock })
  return {
    models: createModelCatalogue({
      providers: config.providers,
      offline: createOfflineModel(),
      defaultModel: config.defaultModel ?? 'offline',
      http: modelHttp,
      clock,
    }),
    costOf: (model, usage) => costOf(prices, model, usage),
    toolClients: (secretsFor) => createHttpToolClient({ request: guarded.request, secretsFor, clock, version }),
    async close() {
      await Promise.all([modelHttp.destroy(), guarded.close()])
    },
  }
}
