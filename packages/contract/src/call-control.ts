import { z } from 'zod'
import { CallPath, CallResponse } from './call.ts'
import {
  changedCustomAttributes,
  changedMetadata,
  changedOverrideVariables,
  strictDataStorage,
} from './conversation-fields.ts'
import { DateTime, MESSAGE_LIMIT_BYTES, OverrideVariables, orDefault, text } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Operations that control calls. */

const TAG = 'Calls'

export const UpdateCallBody = defineDescribedObject(
  'UpdateCallBody',
  'Each object in the request replaces the stored object; null clears it.',
  {
    metadata: changedMetadata,
    customAttributes: changedCustomAttributes,
    overrideDynamicVariables: changedOverrideVariables,
    data_storage_setting: strictDataStorage,
  },
)
export type UpdateCallBody = z.output<typeof UpdateCallBody>

export const updateCall = defineOperation({
  name: 'updateCall',
  route: 'PATCH /api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Update a call',
  description: 'Updates a registered, live or ended call. A live call uses the changes from its next turn.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: UpdateCallBody,
  result: CallResponse,
  errors: ['unavailable'],
})

export const endCall = defineOperation({
  name: 'endCall',
  route: 'POST /api/v1/calls/{callId}/end',
  tag: TAG,
  summary: 'End a call',
  description:
    'Ends the call with the reason `manual_stopped` and interrupts the agent. A call that nobody has joined gets the status ' +
    '`not_connected`. Ending a call that has already ended has no effect. The response can still contain the status ' +
    '`ongoing`; the call ends within a second.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: CallResponse,
  errors: ['unavailable'],
})

export const ControlCallBody = z
  .object({
    say: z
      .object({
        text: text(4_000).min(1).describe('Text to say verbatim, at most 4,000 bytes.'),
        interruptible: orDefault(z.boolean().describe('Whether the caller can interrupt the agent.'), () => true),
      })
      .optional()
      .describe('Makes the agent say something.'),
    inject: z
      .object({
        text: text(MESSAGE_LIMIT_BYTES).min(1).describe('Message to the agent. The caller does not hear it.'),
        respond: orDefault(
          z.boolean().describe('Whether the agent responds immediately or in its next turn.'),
          () => false,
        ),
      })
      .optional()
      .describe('Sends the agent a message.'),
    variables: OverrideVariables.optional().describe(
      'Values of `{{variables}}` that override all other values from the next turn. They are added to previous ' +
        'overrides. Null clears a variable.',
    ),
  })
  .refine(({ say, inject, variables }) => say !== undefined || inject !== undefined || variables !== undefined, {
    error: 'must have "say", "inject" or "variables"',
  })
  .meta({ id: 'ControlCallBody', description: 'At least one field is required. Variables are set first.' })
export type ControlCallBody = z.output<typeof ControlCallBody>

export const controlCall = defineOperation({
  name: 'controlCall',
  route: 'POST /api/v1/calls/{callId}/control',
  tag: TAG,
  summary: 'Control a live call',
  description: 'Makes the agent of a live call say something, sends it a message, or sets variables.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: ControlCallBody,
  result: CallResponse,
  errors: ['call_not_live', 'unavailable'],
})

export const listenToCall = defineOperation({
  name: 'listenToCall',
  route: 'POST /api/v1/calls/{callId}/listen',
  tag: TAG,
  summary: 'Listen to a live call',
  description:
    'Returns a token for listening to both sides of a live call over the live channel. Listening ends when the ' +
    'credential of this request loses access to the call.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: defineObject('ListenAnswer', {
    success: z.literal(true),
    accessToken: z.string(),
    expiresAt: DateTime.describe('Time when the token expires.'),
  }),
  errors: ['call_not_live'],
})

export const analyseCall = defineOperation({
  name: 'analyseCall',
  route: 'POST /api/v1/calls/{callId}/analysis',
  tag: TAG,
  summary: 'Analyze a call again',
  description:
    'Repeats the analysis of a call that has ended, with the stored data and the settings of its agents, and ' +
    'sends `call_analyzed` again. If no model responds, the call keeps its previous results.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: CallResponse,
  errors: ['in_use', 'call_not_stored', 'provider_error', 'provider_timeout'],
})
