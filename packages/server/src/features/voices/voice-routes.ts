import { createVoice, deleteVoice, getVoice, listVoices, previewVoice, searchVoices } from '@parley/contract/voice'
import { type Api, ByteContent, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { CommunityVoiceService } from './community-voice-service.ts'
import type { VoiceCatalog } from './voice-catalog.ts'
import type { VoicePreviewService } from './voice-preview-service.ts'

/** Registers the voice routes. */
export function registerVoiceRoutes(
  api: Api,
  catalog: Pick<VoiceCatalog, 'list' | 'get'>,
  community: CommunityVoiceService,
): void {
  implement(api, listVoices, async ({ query }, context) => {
    return respondWithPage(context, await catalog.list(context.workspaceId, parsePageRequest(query)))
  })

  implement(api, searchVoices, async ({ body }, { workspaceId }) => ({
    voices: [...(await community.search(workspaceId, body))],
  }))

  implement(api, getVoice, ({ path }, { workspaceId }) => catalog.get(workspaceId, path.voiceId))

  implement(api, createVoice, ({ body }, { workspaceId }) => community.create(workspaceId, body))

  implement(api, deleteVoice, ({ path }, { workspaceId }) => community.remove(workspaceId, path.voiceId))
}

/** Registers the voice preview route. */
export function registerVoicePreviewRoutes(api: Api, previews: VoicePreviewService): void {
  implement(api, previewVoice, async ({ path, body }, { workspaceId }) => {
    const { wav, version } = await previews.preview(workspaceId, path.voiceId, body)
    return new ByteContent({
      contentType: 'audio/wav',
      sizeBytes: wav.length,
      version,
      filename: 'preview.wav',
      read: async function* (start, length) {
        yield wav.subarray(start, start + length)
      },
    })
  })
}
