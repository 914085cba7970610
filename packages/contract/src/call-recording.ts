import { z } from 'zod'
import { CallPath } from './call.ts'
import { defineOperation } from './operation.ts'

/** What was heard in a call. */

const TAG = 'Calls'

const RecordingQuery = z.object({
  channel: z
    .enum(['stereo', 'mixed', 'caller', 'agent'])
    .default('stereo')
    .meta({ description: '`stereo`: the caller on the left, the agent on the right. The others have one channel.' }),
  expires: z
    .string()
    .regex(/^\d{1,13}$/, 'must be milliseconds since the Unix epoch')
    .optional()
    .meta({ description: 'Of a signed link: until when it is good, in milliseconds since the Unix epoch.' }),
  signature: z.string().max(200).optional().meta({ description: 'Of a signed link.' }),
})

export const getCallRecording = defineOperation({
  name: 'getCallRecording',
  method: 'GET',
  path: '/api/v1/calls/{callId}/recording',
  tag: TAG,
  summary: 'Get the recording of a call',
  description:
    'A WAV file with 16 bits a sample, whole or a range of it. Of a call that is live it holds what is stored so far. ' +
    'Without a token it answers to the links that calls carry as `recordingUrl`, for 24 to 25 hours.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  query: RecordingQuery,
  status: 200,
  mediaType: 'audio/wav',
  signedLinks: true,
})

/** Pairs of lowest and highest sample, one after another. */
const PeakPairs = z.array(z.int().min(-32_768).max(32_767))

export const RecordingPeaks = z
  .object({
    channels: z.literal(2),
    perSecond: z.int().meta({ description: 'Pairs for each second; fewer for long calls.' }),
    durationMs: z.int(),
    peaks: z.tuple([PeakPairs, PeakPairs]).meta({
      description:
        'For the caller and for the agent: lowest and highest 16-bit sample of every stretch, one after another.',
    }),
  })
  .meta({ id: 'RecordingPeaks' })
export type RecordingPeaks = z.infer<typeof RecordingPeaks>

export const getCallRecordingPeaks = defineOperation({
  name: 'getCallRecordingPeaks',
  method: 'GET',
  path: '/api/v1/calls/{callId}/recording/peaks',
  tag: TAG,
  summary: 'Get the outline of a recording',
  description: 'For drawing the recording of a call without loading it.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: RecordingPeaks,
})

export const deleteCallRecording = defineOperation({
  name: 'deleteCallRecording',
  method: 'DELETE',
  path: '/api/v1/calls/{callId}/recording',
  tag: TAG,
  summary: 'Delete the recording of a call',
  description:
    'Removes it for good; the call itself stays. Refused while the call is live. Nothing to remove is no error.',
  access: 'admin',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 204,
  errors: ['in_use'],
})
