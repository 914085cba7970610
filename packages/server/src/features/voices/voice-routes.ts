import {
  createVoice,
  deleteVoice,
  getVoice,
  getVoicePreview,
  listVoices,
  previewVoice,
  searchVoices,
  updateVoice,
  type Voice,
} from '@parley/contract/voice'
import { type Api, ByteContent, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { CommunityVoiceService } from './community-voice-service.ts'
import type { VoiceCatalog } from './voice-catalog.ts'
import type { CatalogVoice } from './voice-ports.ts'
import type { VoicePreviewService } from './voice-preview-service.ts'

interface VoiceRoutesOptions {
  readonly catalog: Pick<VoiceCatalog, 'list' | 'get'>
  readonly community: CommunityVoiceService
  /** Returns the public base URL of this API. */
  readonly getBaseUrl: () => string
}

/** Registers the voice routes. */
export function registerVoiceRoutes(api: Api, { catalog, community, getBaseUrl }: VoiceRoutesOptions): void {
  /** Adds the URL of the preview on this server to voices without a public sample. */
  const addPreviewUrl = (workspaceId: number, voice: CatalogVoice): Voice => {
    const { voiceId, previewUrl } = voice
    const ownUrl = `${getBaseUrl()}/api/voices/${encodeURIComponent(voiceId)}/preview?workspaceId=${workspaceId}`
    return { ...voice, previewUrl: previewUrl ?? ownUrl }
  }

  implement(api, listVoices, async ({ query }, context) => {
    const { workspaceId } = context
    const { items, next } = await catalog.list(workspaceId, parsePageRequest(query))
    return respondWithPage(context, { items: items.map((voice) => addPreviewUrl(workspaceId, voice)), next })
  })

  implement(api, searchVoices, async ({ body }, { workspaceId }) => ({
    voices: [...(await community.search(workspaceId, body))],
  }))

  implement(api, getVoice, async ({ path }, { workspaceId }) =>
    addPreviewUrl(workspaceId, await catalog.get(workspaceId, path.voiceId)),
  )

  implement(api, createVoice, async ({ body }, { workspaceId }) =>
    addPreviewUrl(workspaceId, await community.create(workspaceId, body)),
  )

  implement(api, updateVoice, async ({ path, body }, { workspaceId }) =>
    addPreviewUrl(workspaceId, await community.update(workspaceId, path.voiceId, body)),
  )

  implement(api, deleteVoice, ({ path }, { workspaceId }) => community.remove(workspaceId, path.voiceId))
}

/** Registers the routes of voice previews. */
export function registerVoicePreviewRoutes(api: Api, previews: VoicePreviewService): void {
  implement(api, getVoicePreview, async ({ path }, { workspaceId }) =>
    toContent(await previews.getPreview(workspaceId, path.voiceId)),
  )

  implement(api, previewVoice, async ({ path, body }, { workspaceId }) =>
    toContent(await previews.preview(workspaceId, path.voiceId, body)),
  )
}

function toContent({ bytes, contentType, version }: Awaited<ReturnType<VoicePreviewService['preview']>>): ByteContent {
  return new ByteContent({
    contentType,
    sizeBytes: bytes.length,
    version,
    filename: contentType === 'audio/wav' ? 'preview.wav' : 'preview',
    read: async function* (start, length) {
      yield bytes.subarray(start, start + length)
    },
  })
}
