import { z } from 'zod'
import { CallPath } from './call.ts'
import { CallEvent } from './call-event.ts'
import { defineOperation } from './operation.ts'

/** What happened in a call, as it happens and afterwards. */

const TAG = 'Calls'

export const getCallEvents = defineOperation({
  name: 'getCallEvents',
  method: 'GET',
  path: '/api/v1/calls/{callId}/events',
  tag: TAG,
  summary: 'Follow a call',
  description:
    'Streams the events of a call from its beginning, or after the one that `Last-Event-ID` names, and goes on until the ' +
    'call is over. Each event has the name of its `type` and a `CallEvent` as its data; the last one is `call-ended`, or ' +
    '`access-ended` with `code` and `error` when your access to the call ends.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  errors: ['not_found'],
  features: ['event-stream'],
})

export const getCallTranscript = defineOperation({
  name: 'getCallTranscript',
  method: 'GET',
  path: '/api/v1/calls/{callId}/transcript',
  tag: TAG,
  summary: 'Read the transcript of a call',
  description:
    'What was said, as text, and what happened, in order, with the time of each word; of an ongoing call so far. Empty ' +
    'where the transcript is not stored.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: z
    .object({
      success: z.literal(true),
      transcript: z.string().meta({ description: 'Lines `Agent: …` and `User: …`.' }),
      entries: z.array(CallEvent).meta({ description: 'All events of the call.' }),
    })
    .meta({ id: 'CallTranscript' }),
  errors: ['not_found'],
})
