import { createLlm, deleteLlm, getLlm, listLlms, listLlmVersions, publishLlm, updateLlm } from '@parley/contract/llm'
import type { CachedApi } from '../../kernel/api/implement.ts'
import { registerVersionedRoutes } from '../engines/public.ts'
import type { LlmService } from './llm-service.ts'

/** Registers the operations of LLM configurations. */
export function registerLlmRoutes(cachedApi: CachedApi, service: LlmService): void {
  registerVersionedRoutes(cachedApi, {
    operations: {
      create: createLlm,
      list: listLlms,
      get: getLlm,
      update: updateLlm,
      remove: deleteLlm,
      listVersions: listLlmVersions,
      publish: publishLlm,
    },
    service,
    getId: ({ llmId }) => llmId,
    defaultVersion: 'latest',
  })
}
