import { getConcurrency, updateConcurrency } from '@parley/contract/concurrency'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { ConcurrencyService } from './concurrency-service.ts'

/** Mounts the operations of concurrency. */
export function registerConcurrencyRoutes(api: Api, service: ConcurrencyService): void {
  implement(api, getConcurrency)((_input, { workspaceId }) => service.getConcurrency(workspaceId))

  implement(api, updateConcurrency)(({ body }, { workspaceId }) => service.updateConcurrency(workspaceId, body))
}
