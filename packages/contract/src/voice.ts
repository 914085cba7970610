import { z } from 'zod'
import { wordsOf } from './agent-settings/setting.ts'
import { VOICE_SETTINGS } from './agent-settings/voice-settings.ts'
import { bodyWorkspace, DateTime, id, orDefault, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPEC_LIST_LIMIT } from './pagination.ts'

/** The voices that a workspace's agents can speak with, and where it finds more. */

/** Services whose community voices can be searched and added, by the names that requests and answers use. */
export const VOICE_PROVIDERS = ['elevenlabs', 'cartesia'] as const
export type VoiceProvider = (typeof VOICE_PROVIDERS)[number]

/** How providers spell their ids. Anything else could change the address of a request to them. */
export const PROVIDER_ID = /^[A-Za-z0-9_-]{1,200}$/

export const Voice = z
  .object({
    voiceId: z.string(),
    name: z.string(),
    gender: z.string().nullable(),
    language: z.string().nullable().meta({ description: 'Such as `en-US`; null when the provider does not tell.' }),
    accent: z.string().nullable(),
    description: z.string(),
    provider: z
      .string()
      .nullable()
      .meta({ description: '`builtin`, or who provides the voice; `speech` is the installation’s own speech server.' }),
    previewUrl: z.string().nullable().meta({ description: 'Address of a sample; null without one.' }),
    playbackOverrideUrl: z.string().nullable().meta({ description: 'Sample to play instead of the preview.' }),
    tags: z.array(z.string()),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'Voice' })
export type Voice = z.infer<typeof Voice>

export const CommunityVoice = z
  .object({
    providerVoiceId: z.string(),
    name: z.string(),
    description: z.string(),
    publicUserId: z
      .string()
      .nullable()
      .meta({ description: 'Who shares the voice; null where the provider has none.' }),
    voiceProvider: z.string(),
  })
  .meta({ id: 'CommunityVoice' })
export type CommunityVoice = z.infer<typeof CommunityVoice>

/** The name of a provider, however it is capitalised. */
const ProviderName = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(VOICE_PROVIDERS))
  .meta({ description: '`elevenlabs` or `cartesia`, in any case.' })

const ProviderId = z.string().regex(PROVIDER_ID, 'must be 1 to 200 letters, digits, "_" or "-"')

export const SearchVoicesBody = z
  .object({
    workspaceId: bodyWorkspace(),
    voiceProvider: ProviderName,
    searchQuery: z.string().trim().min(1).max(200).meta({ description: 'Words to look for, such as "calm british".' }),
  })
  .meta({ id: 'SearchVoicesBody' })
export type SearchVoicesBody = z.output<typeof SearchVoicesBody>

interface ProviderVoice {
  readonly voiceProvider?: unknown
  readonly publicUserId?: unknown
}

/** Looks at a body that may have other problems, so that all are told at once. */
function requirePublicUser(body: ProviderVoice, context: z.RefinementCtx): void {
  if (body.voiceProvider !== 'elevenlabs' || (body.publicUserId ?? null) !== null) return
  context.addIssue({ code: 'custom', path: ['publicUserId'], message: 'is required for a voice of elevenlabs' })
}

export const CreateVoiceBody = z
  .object({
    workspaceId: bodyWorkspace(),
    voiceProvider: ProviderName,
    providerVoiceId: ProviderId.meta({ description: 'Id of the voice at the provider, from a search.' }),
    publicUserId: ProviderId.nullable()
      .default(null)
      .meta({ description: 'Who shares the voice, from a search; required for `elevenlabs`.' }),
    name: z.string().trim().min(1).max(200).meta({ description: 'What the voice is called here.' }),
  })
  .superRefine(requirePublicUser, { when: ({ value }) => typeof value === 'object' && value !== null })
  .meta({ id: 'CreateVoiceBody' })
export type CreateVoiceBody = z.output<typeof CreateVoiceBody>

/** What a preview may say. */
const MAX_PREVIEW_CHARACTERS = 500

export const PreviewVoiceBody = z
  .object({
    workspaceId: bodyWorkspace(),
    text: z.string().trim().min(1).max(MAX_PREVIEW_CHARACTERS).nullable().default(null).meta({
      description: 'What the voice says, at most 500 characters. Null: a sentence in its language.',
    }),
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag such as en-US')
      .nullable()
      .default(null)
      .meta({ description: 'Language of the text. Null: that of the voice, else English.' }),
    voiceModel: z.string().min(1).max(200).nullable().default(null).meta({
      description: 'Model that the provider speaks with. Null: its default.',
    }),
    voiceSpeed: orDefault(z.number().min(0.5).max(2).meta({ description: '1 is its own.' }), () => 1),
    voiceTemperature: orDefault(z.number().min(0).max(2).meta({ description: '1 is its own.' }), () => 1),
    voiceEmotion: z
      .enum(wordsOf(VOICE_SETTINGS.voice_emotion))
      .nullable()
      .default(null)
      .meta({ description: 'Null: as it does by itself.' }),
  })
  .meta({ id: 'PreviewVoiceBody' })
export type PreviewVoiceBody = z.output<typeof PreviewVoiceBody>

const VoicePath = z.object({ voiceId: id().meta({ description: 'The voice: a `voiceId` of the list of voices.' }) })
const TAG = 'Voices'

export const listVoices = defineOperation({
  name: 'listVoices',
  method: 'GET',
  path: '/api/voices',
  tag: TAG,
  summary: 'List voices',
  description:
    'The catalogue of the workspace: the values that `voice_id` of an agent accepts. Built-in voices first, then those of ' +
    'connected providers of speech, then those that the workspace added, newest first.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPEC_LIST_LIMIT),
  status: 200,
  result: z.array(Voice),
  features: ['paged'],
})

export const searchVoices = defineOperation({
  name: 'searchVoices',
  method: 'POST',
  path: '/api/voices/search',
  tag: TAG,
  summary: 'Search community voices',
  description:
    'Asks a voice provider for voices that its community shares, at most 100. Needs a key of the provider. What is found ' +
    'can be added to the workspace.',
  access: 'read',
  workspace: 'body',
  body: SearchVoicesBody,
  status: 200,
  result: z.object({ voices: z.array(CommunityVoice) }).meta({ id: 'FoundVoices' }),
  errors: ['provider_not_configured', 'provider_error', 'provider_timeout'],
})

export const getVoice = defineOperation({
  name: 'getVoice',
  method: 'GET',
  path: '/api/voices/{voiceId}',
  tag: TAG,
  summary: 'Read a voice',
  description: 'Answers one voice of the catalogue, built-in or added.',
  access: 'read',
  workspace: 'query',
  pathParameters: VoicePath,
  query: WorkspaceQuery,
  status: 200,
  result: Voice,
  errors: ['not_found'],
})

export const createVoice = defineOperation({
  name: 'createVoice',
  method: 'POST',
  path: '/api/voices',
  tag: TAG,
  summary: 'Add a community voice',
  description:
    'Adds a voice to the account at its provider and to the catalogue of the workspace, so that agents can speak with it. ' +
    'A workspace has each voice of a provider once.',
  access: 'write',
  workspace: 'body',
  body: CreateVoiceBody,
  status: 201,
  result: Voice,
  errors: ['id_taken', 'provider_not_configured', 'provider_error', 'provider_timeout'],
})

export const deleteVoice = defineOperation({
  name: 'deleteVoice',
  method: 'DELETE',
  path: '/api/voices/{voiceId}',
  tag: TAG,
  summary: 'Remove a voice',
  description:
    'Takes an added voice out of the catalogue; the account at its provider keeps it. Refused for built-in voices, and ' +
    'while an agent speaks with it: the answer lists those agents.',
  access: 'write',
  workspace: 'query',
  pathParameters: VoicePath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'in_use'],
})

export const previewVoice = defineOperation({
  name: 'previewVoice',
  method: 'POST',
  path: '/api/voices/{voiceId}/preview',
  tag: TAG,
  summary: 'Hear a voice',
  description:
    'Lets a voice say something and answers its sound as a WAV file. The same words again come from memory and cost nothing ' +
    'at the provider. No other voice stands in for one that cannot speak.',
  access: 'write',
  workspace: 'body',
  pathParameters: VoicePath,
  body: PreviewVoiceBody,
  status: 200,
  mediaType: 'audio/wav',
  errors: ['not_found', 'provider_not_configured', 'provider_error', 'provider_timeout'],
})
