import { z } from 'zod'
import { listChoices } from './agent-settings/setting.ts'
import { VOICE_SETTINGS } from './agent-settings/voice-settings.ts'
import { bodyWorkspace, DateTime, id, orDefault, WorkspaceQuery } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'

/** Voices of a workspace, and the search for community voices. */

/** Providers with community voices that can be searched and added, as named in requests and responses. */
export const VOICE_PROVIDERS = ['elevenlabs', 'cartesia'] as const
export type VoiceProvider = (typeof VOICE_PROVIDERS)[number]

/** Format of provider IDs. Other characters could change the URL of a request to the provider. */
export const PROVIDER_ID = /^[A-Za-z0-9_-]{1,200}$/

export const Voice = defineObject('Voice', {
  voiceId: z.string(),
  name: z.string(),
  gender: z.string().nullable(),
  language: z.string().nullable().describe('Language tag such as `en-US`; null if unknown.'),
  accent: z.string().nullable(),
  description: z.string(),
  provider: z
    .string()
    .nullable()
    .describe('`builtin`, or the provider of the voice; `speech` is the speech server of the installation.'),
  previewUrl: z
    .string()
    .describe(
      'URL of a sample, which a GET request returns: a public sample of the provider, or `GET /api/voices/{voiceId}/preview`, ' +
        'which requires the right to read the voice.',
    ),
  playbackOverrideUrl: z
    .string()
    .nullable()
    .describe('URL of a sample that replaces the preview, or null. Only added voices can have one.'),
  tags: z.array(z.string()),
  createdAt: DateTime,
  updatedAt: DateTime,
})
export type Voice = z.infer<typeof Voice>

export const CommunityVoice = defineObject('CommunityVoice', {
  providerVoiceId: z.string(),
  name: z.string(),
  description: z.string(),
  publicUserId: z.string().nullable().describe('ID of the user who shares the voice; null if the provider has none.'),
  voiceProvider: z.string(),
})
export type CommunityVoice = z.infer<typeof CommunityVoice>

/** Provider name, case-insensitive. */
const ProviderName = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(VOICE_PROVIDERS))
  .describe('`elevenlabs` or `cartesia`, case-insensitive.')

const ProviderId = z.string().regex(PROVIDER_ID, 'must be 1 to 200 letters, digits, "_" or "-"')

export const SearchVoicesBody = defineObject('SearchVoicesBody', {
  workspaceId: bodyWorkspace(),
  voiceProvider: ProviderName,
  searchQuery: z.string().trim().min(1).max(200).describe('Search terms, such as "calm british".'),
})
export type SearchVoicesBody = z.output<typeof SearchVoicesBody>

interface ProviderVoice {
  readonly voiceProvider?: unknown
  readonly publicUserId?: unknown
}

/** Reports a missing `publicUserId`. It also runs for invalid bodies, so that all problems are reported together. */
function requirePublicUser(body: ProviderVoice, context: z.RefinementCtx): void {
  if (body.voiceProvider !== 'elevenlabs' || (body.publicUserId ?? null) !== null) return
  context.addIssue({ code: 'custom', path: ['publicUserId'], message: 'is required for voices of elevenlabs' })
}

const VoiceName = z.string().trim().min(1).max(200).describe('Display name.')

/** Whether a URL can be the URL of a sample. Rejects URLs with credentials, because everyone who can read voices sees it. */
function isSampleUrl(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\//i.test(value) || /\s/.test(value)) return false
  return url.username === '' && url.password === ''
}

const PlaybackOverrideUrl = z
  .string()
  .max(2000, { abort: true })
  .refine(isSampleUrl, { error: 'must be an http:// or https:// URL without user name and password' })
  .nullable()
  .describe(
    'URL of an audio file of at most 5 MiB that replaces the preview. If null, the voice speaks a sentence. Private ' +
      'addresses are rejected on use unless the operator allows them.',
  )

export const CreateVoiceBody = z
  .object({
    workspaceId: bodyWorkspace(),
    voiceProvider: ProviderName,
    providerVoiceId: ProviderId.describe('ID of the voice at the provider, from a search.'),
    publicUserId: ProviderId.nullable()
      .default(null)
      .describe('ID of the user who shares the voice, from a search. Required for `elevenlabs`.'),
    name: VoiceName,
    playbackOverrideUrl: PlaybackOverrideUrl.default(null),
  })
  .superRefine(requirePublicUser, { when: ({ value }) => typeof value === 'object' && value !== null })
  .meta({ id: 'CreateVoiceBody' })
export type CreateVoiceBody = z.output<typeof CreateVoiceBody>

export const UpdateVoiceBody = defineObject('UpdateVoiceBody', {
  workspaceId: bodyWorkspace(),
  name: VoiceName.optional(),
  playbackOverrideUrl: PlaybackOverrideUrl.optional(),
})
export type UpdateVoiceBody = z.output<typeof UpdateVoiceBody>

/** Maximum length of a preview. */
const MAX_PREVIEW_CHARACTERS = 500

export const PreviewVoiceBody = defineObject('PreviewVoiceBody', {
  workspaceId: bodyWorkspace(),
  text: z
    .string()
    .trim()
    .min(1)
    .max(MAX_PREVIEW_CHARACTERS)
    .nullable()
    .default(null)
    .describe('Text to speak, at most 500 characters. If null, the voice speaks a sample sentence in its language.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag such as en-US')
    .nullable()
    .default(null)
    .describe('Language of the text. Defaults to the language of the voice, or to English if it is unknown.'),
  voiceModel: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Speech model of the provider. If null, the provider’s default is used.'),
  voiceSpeed: orDefault(z.number().min(0.5).max(2).describe('Speaking rate; 1 is normal.'), () => 1),
  voiceTemperature: orDefault(z.number().min(0).max(2).describe('Expressiveness. Defaults to 1.'), () => 1),
  voiceEmotion: z
    .enum(listChoices(VOICE_SETTINGS.voice_emotion))
    .nullable()
    .default(null)
    .describe('Emotion of the voice. If null, the provider’s default is used.'),
})
export type PreviewVoiceBody = z.output<typeof PreviewVoiceBody>

const VoicePath = z.object({ voiceId: id().describe('`voiceId` from the list of voices.') })
const TAG = 'Voices'

export const listVoices = defineOperation({
  name: 'listVoices',
  route: 'GET /api/voices',
  tag: TAG,
  summary: 'List voices',
  description:
    'Returns the voices of the workspace, which are the valid values of `voice_id`: built-in voices, voices of ' +
    'connected speech providers, and added voices, newest first.',
  access: 'read',
  query: pagingQuery(SPEC_LIST_LIMIT),
  result: z.array(Voice),
  features: ['paged'],
})

export const searchVoices = defineOperation({
  name: 'searchVoices',
  route: 'POST /api/voices/search',
  tag: TAG,
  summary: 'Search community voices',
  description:
    'Searches the community voices of a provider and returns at most 100. Requires an API key of the provider. Matching ' +
    'voices can be added to the workspace.',
  access: 'read',
  body: SearchVoicesBody,
  result: defineObject('FoundVoices', { voices: z.array(CommunityVoice) }),
  errors: ['provider_not_configured', 'provider_error', 'provider_timeout'],
})

export const getVoice = defineOperation({
  name: 'getVoice',
  route: 'GET /api/voices/{voiceId}',
  tag: TAG,
  summary: 'Get a voice',
  description: 'Returns a built-in or added voice.',
  access: 'read',
  pathParameters: VoicePath,
  query: WorkspaceQuery,
  result: Voice,
})

export const createVoice = defineOperation({
  name: 'createVoice',
  route: 'POST /api/voices',
  tag: TAG,
  summary: 'Add a community voice',
  description:
    'Adds a community voice to the account at its provider and to the workspace, so that agents can use it. Each ' +
    'voice can be added once per workspace.',
  access: 'write',
  body: CreateVoiceBody,
  status: 201,
  result: Voice,
  errors: ['id_taken', 'provider_not_configured', 'provider_error', 'provider_timeout'],
})

export const updateVoice = defineOperation({
  name: 'updateVoice',
  route: 'PATCH /api/voices/{voiceId}',
  tag: TAG,
  summary: 'Update a voice',
  description: 'Changes the name or the preview of an added voice. Omitted fields keep their values.',
  access: 'write',
  pathParameters: VoicePath,
  body: UpdateVoiceBody,
  result: Voice,
})

export const deleteVoice = defineOperation({
  name: 'deleteVoice',
  route: 'DELETE /api/voices/{voiceId}',
  tag: TAG,
  summary: 'Remove a voice',
  description:
    'Removes an added voice from the workspace but not from the account at its provider. Fails for built-in ' +
    'voices, and with `in_use` while agents use the voice; the error lists these agents.',
  access: 'write',
  pathParameters: VoicePath,
  query: WorkspaceQuery,
  errors: ['in_use'],
})

export const getVoicePreview = defineOperation({
  name: 'getVoicePreview',
  route: 'GET /api/voices/{voiceId}/preview',
  tag: TAG,
  summary: 'Get the preview of a voice',
  description:
    'Returns the audio at `playbackOverrideUrl`, or a WAV file in which the voice speaks a sentence in its language. Repeated ' +
    'previews are cached and not charged by the provider. If the voice fails, no fallback voice is used.',
  access: 'read',
  pathParameters: VoicePath,
  query: WorkspaceQuery,
  mediaType: 'audio/*',
  errors: ['provider_not_configured', 'provider_error', 'provider_timeout'],
})

export const previewVoice = defineOperation({
  name: 'previewVoice',
  route: 'POST /api/voices/{voiceId}/preview',
  tag: TAG,
  summary: 'Preview a voice with your own text',
  description:
    'Returns a WAV file in which the voice speaks the text. Repeated previews are cached and not charged by the provider. ' +
    'If the voice fails, no fallback voice is used.',
  access: 'write',
  pathParameters: VoicePath,
  body: PreviewVoiceBody,
  mediaType: 'audio/wav',
  errors: ['provider_not_configured', 'provider_error', 'provider_timeout'],
})
