import { z } from 'zod'
import { CallPath } from './call.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Recordings of calls. */

const TAG = 'Calls'

const RecordingQuery = z.object({
  channel: z
    .enum(['stereo', 'mixed', 'caller', 'agent'])
    .default('stereo')
    .describe('`stereo` has the caller on the left and the agent on the right. The other values have one channel.'),
  expires: z
    .string()
    .regex(/^\d{1,13}$/, 'must be milliseconds since the Unix epoch')
    .optional()
    .describe('Expiration time in milliseconds since the Unix epoch (signed links only).'),
  signature: z.string().max(200).optional().describe('Signature (signed links only).'),
})

export const getCallRecording = defineOperation({
  name: 'getCallRecording',
  route: 'GET /api/v1/calls/{callId}/recording',
  tag: TAG,
  summary: 'Get the recording of a call',
  description:
    'Returns a 16-bit WAV file, or a range of the file. For a live call, returns the recording so far. Signed links in ' +
    '`recordingUrl` of calls need no token and are valid for 24 to 25 hours.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  query: RecordingQuery,
  mediaType: 'audio/wav',
  signedLinks: true,
})

/** Pairs of minimum and maximum sample values. */
const PeakPairs = z.array(z.int().min(-32_768).max(32_767))

export const RecordingPeaks = defineObject('RecordingPeaks', {
  channels: z.literal(2).describe('Caller and agent.'),
  perSecond: z.int().describe('Number of pairs per second, lower for long calls.'),
  durationMs: z.int(),
  peaks: z
    .tuple([PeakPairs, PeakPairs])
    .describe('Pairs of minimum and maximum 16-bit samples per interval, for the caller and the agent.'),
})
export type RecordingPeaks = z.infer<typeof RecordingPeaks>

export const getCallRecordingPeaks = defineOperation({
  name: 'getCallRecordingPeaks',
  route: 'GET /api/v1/calls/{callId}/recording/peaks',
  tag: TAG,
  summary: 'Get the waveform of a recording',
  description: 'Returns data for drawing the waveform without loading the recording.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: RecordingPeaks,
})

export const deleteCallRecording = defineOperation({
  name: 'deleteCallRecording',
  route: 'DELETE /api/v1/calls/{callId}/recording',
  tag: TAG,
  summary: 'Delete the recording of a call',
  description:
    'Permanently deletes the recording and keeps the call. Fails with `in_use` while the call is live. Deleting ' +
    'a missing recording succeeds.',
  access: 'admin',
  workspace: 'inferred',
  pathParameters: CallPath,
  errors: ['in_use'],
})
