import { z } from 'zod'
import { DateTime } from './fields.ts'
import { defineOperation } from './operation.ts'
import { pagingQuery, SPECIFIED_LIST_LIMIT } from './pagination.ts'

/** The voices that a workspace's agents can speak with. */

export const Voice = z
  .object({
    voiceId: z.string(),
    name: z.string(),
    gender: z.string().nullable(),
    language: z.string().nullable(),
    accent: z.string().nullable(),
    description: z.string(),
    provider: z.string().nullable(),
    previewUrl: z.string().nullable().meta({ description: 'Address of a sample.' }),
    playbackOverrideUrl: z.string().nullable().meta({ description: 'Sample to play instead of the preview.' }),
    tags: z.array(z.string()),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'Voice' })
export type Voice = z.infer<typeof Voice>

export const listVoices = defineOperation({
  name: 'listVoices',
  method: 'GET',
  path: '/api/voices',
  tag: 'Voices',
  summary: 'List voices',
  description: 'The catalogue of the workspace: the values that `voice_id` of an agent accepts.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(SPECIFIED_LIST_LIMIT),
  status: 200,
  result: z.array(Voice),
  features: ['paged'],
})
