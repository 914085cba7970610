import { listVoices } from '@parley/contract/voice'
import { type Api, implement } from '../../http/implement.ts'
import { printPosition, readPage } from '../../kernel/paging.ts'
import type { VoiceService } from './voice-service.ts'

/** Mounts the operations of voices. */
export function registerVoiceRoutes(api: Api, service: Pick<VoiceService, 'list'>): void {
  implement(
    api,
    listVoices,
  )(async ({ query }, context) => {
    const { items, next } = await service.list(context.workspaceId, readPage(query))
    context.setNextPage(next && { key: printPosition(next), version: null })
    return [...items]
  })
}
