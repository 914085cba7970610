import { z } from 'zod'
import { CallPath } from './call.ts'
import { CallEvent } from './call-event.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Events and transcript of a call, during and after it. */

const TAG = 'Calls'

export const getCallEvents = defineOperation({
  name: 'getCallEvents',
  route: 'GET /api/v1/calls/{callId}/events',
  tag: TAG,
  summary: 'Stream the events of a call',
  description:
    'Streams the events of a call, from the start or after `Last-Event-ID`, until the call ends. Each event is ' +
    'named after its `type` and has a `CallEvent` as data. The last event is `call-ended`, or `access-ended` ' +
    'with `code` and `error` if you lose access to the call.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  features: ['event-stream'],
})

export const getCallTranscript = defineOperation({
  name: 'getCallTranscript',
  route: 'GET /api/v1/calls/{callId}/transcript',
  tag: TAG,
  summary: 'Get the transcript of a call',
  description:
    'Returns the transcript as text and as events with the time of each word. For an ongoing call, returns the ' +
    'current transcript. Empty if the transcript is not stored.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: defineObject('CallTranscript', {
    success: z.literal(true),
    transcript: z.string().describe('Transcript with lines `Agent: …` and `User: …`.'),
    entries: z.array(CallEvent).describe('All events of the call.'),
  }),
})
