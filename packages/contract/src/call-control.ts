import { z } from 'zod'
import { DataStorageSetting } from './after-conversation.ts'
import { CallPath, OneCall } from './call.ts'
import { clearable, DateTime, freeObject, MESSAGE_LIMIT_BYTES, OverrideVariables, orDefault, text } from './fields.ts'
import { defineOperation } from './operation.ts'

/** What can be done to a call from outside, while it lives and afterwards. */

const TAG = 'Calls'

export const UpdateCallBody = z
  .object({
    metadata: clearable(freeObject().meta({ description: 'Data of your own. At most 50 KiB of JSON.' }), () => ({})),
    customAttributes: clearable(
      freeObject().meta({ description: 'More data of your own. At most 50 KiB of JSON.' }),
      () => ({}),
    ),
    overrideDynamicVariables: clearable(
      OverrideVariables.meta({
        description:
          'Values of `{{variables}}` that win over all others from the next turn on; numbers and booleans become text, ' +
          'null leaves a name without a value.',
      }),
      () => ({}),
    ),
    data_storage_setting: DataStorageSetting.optional().meta({
      description: 'What is kept of the call once it is over, stricter than its agents have it; it cannot be relaxed.',
    }),
  })
  .meta({ id: 'UpdateCallBody', description: 'Each object given replaces the one before; null clears it.' })
export type UpdateCallBody = z.output<typeof UpdateCallBody>

export const updateCall = defineOperation({
  name: 'updateCall',
  method: 'PATCH',
  path: '/api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Change a call',
  description: 'Works before, during and after the call. A live call uses what is given from its next turn on.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: UpdateCallBody,
  status: 200,
  result: OneCall,
  errors: ['not_found', 'unavailable'],
})

export const endCall = defineOperation({
  name: 'endCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/end',
  tag: TAG,
  summary: 'End a call',
  description:
    'Hangs up, with the reason `manual_stopped`; what the agent is saying breaks off. A call that nobody has joined becomes ' +
    '`not_connected`. Ending a call that is over changes nothing. The answer may still show the call as ongoing: it is over ' +
    'within a second.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: OneCall,
  errors: ['not_found', 'unavailable'],
})

export const ControlCallBody = z
  .object({
    say: z
      .object({
        text: text(4_000).min(1).meta({ description: 'Spoken as it is, at most 4,000 bytes.' }),
        interruptible: orDefault(z.boolean().meta({ description: 'Whether the caller can interrupt it.' }), () => true),
      })
      .optional()
      .meta({ description: 'Lets the agent say something.' }),
    inject: z
      .object({
        text: text(MESSAGE_LIMIT_BYTES).min(1).meta({ description: 'For the agent; the caller does not hear it.' }),
        respond: orDefault(
          z.boolean().meta({ description: 'The agent reacts at once; otherwise in its next turn.' }),
          () => false,
        ),
      })
      .optional()
      .meta({ description: 'Tells the agent something.' }),
    variables: OverrideVariables.optional().meta({
      description:
        'Values of `{{variables}}` that win over all others from the next turn on, added to those set before; null leaves a ' +
        'name without a value.',
    }),
  })
  .refine(({ say, inject, variables }) => say !== undefined || inject !== undefined || variables !== undefined, {
    error: 'must have "say", "inject" or "variables"',
  })
  .meta({ id: 'ControlCallBody', description: 'At least one of the three; variables are set first.' })
export type ControlCallBody = z.output<typeof ControlCallBody>

export const controlCall = defineOperation({
  name: 'controlCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/control',
  tag: TAG,
  summary: 'Control a live call',
  description: 'Lets the agent of a live call say something, tells it something, or sets variables.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: ControlCallBody,
  status: 200,
  result: OneCall,
  errors: ['not_found', 'call_not_live', 'unavailable'],
})

export const listenToCall = defineOperation({
  name: 'listenToCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/listen',
  tag: TAG,
  summary: 'Listen to a live call',
  description:
    'Answers a token that hears both sides of a live call without being heard, over the live channel. Listening ends ' +
    'when the credential that asked for the token loses access to the call.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: z
    .object({
      success: z.literal(true),
      accessToken: z.string(),
      expiresAt: DateTime.meta({ description: 'Until when listening can begin.' }),
    })
    .meta({ id: 'ListenAnswer' }),
  errors: ['not_found', 'call_not_live'],
})
