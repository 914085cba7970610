import { z } from 'zod'
import { id, integer } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { commonToolFields, HeaderMap, sentence } from './tool-fields.ts'

/** The `transfer_call` tool, which transfers a call to a person or another agent. */

/** A phone number, a SIP address or a variable. The length check runs first, since the pattern is slower. */
const Destination = z
  .string()
  .max(200, { abort: true })
  .regex(
    /^(?:\+?[\d*#][\d\s().*#-]*$|sips?:\S+$|(?=.*$)(?:[^{]|\{(?!\{))*\{\{.+\}\})/,
    'must be a phone number, a SIP address or contain a {{variable}}',
  )

export const PredefinedDestination = defineObject('PredefinedDestination', {
  type: z.literal('predefined'),
  number: Destination.describe('Phone number in E.164 format, SIP address, or text with `{{variables}}`.'),
  extension: z
    .string()
    .max(100, { abort: true })
    .regex(
      /^(?:[\d*#pw,]+$|(?=.*$)(?:[^{]|\{(?!\{))*\{\{.+\}\})/,
      'must be digits, "*", "#", pauses or contain a {{variable}}',
    )
    .optional()
    .describe('Digits to send after the destination answers.'),
})

export const InferredDestination = defineObject('InferredDestination', {
  type: z.literal('inferred'),
  prompt: sentence().min(1).describe('Instruction that tells the model how to choose the destination.'),
})

export const TransferDestination = z
  .discriminatedUnion('type', [PredefinedDestination, InferredDestination])
  .meta({ id: 'TransferDestination' })
export type TransferDestination = z.infer<typeof TransferDestination>

/** Handoff announcement, for both parties (public) or only for the destination (private). */
export const HandoffOption = z
  .discriminatedUnion('type', [
    defineObject('PromptHandoff', { type: z.literal('prompt'), prompt: sentence() }),
    defineObject('StaticMessageHandoff', { type: z.literal('static_message'), message: sentence() }),
  ])
  .meta({ id: 'HandoffOption' })
export type HandoffOption = z.infer<typeof HandoffOption>

const transferFields = {
  show_transferee_as_caller: z
    .boolean()
    .optional()
    .describe('Whether to display the transferred person’s number instead of the agent’s number.'),
  transfer_ring_duration_ms: integer(5_000, 90_000).optional().describe('Maximum ring time in milliseconds.'),
  on_hold_music: z
    .enum(['none', 'relaxing_sound', 'uplifting_beats', 'ringtone', 'custom'])
    .optional()
    .describe('Audio that plays for the person on hold.'),
  custom_on_hold_music_asset_id: id().optional().describe('ID of the recording for `on_hold_music` `custom`.'),
  public_handoff_option: HandoffOption.optional().describe('Announcement to both parties when they are connected.'),
  private_handoff_option: HandoffOption.optional().describe('Announcement to the destination before the transfer.'),
  ivr_option: z
    .object({ type: z.literal('prompt'), prompt: sentence() })
    .optional()
    .describe('Instruction for navigating a phone menu at the destination.'),
  enable_bridge_audio_cue: z.boolean().optional().describe('Whether to play a tone when both parties are connected.'),
}

export const ColdTransfer = defineDescribedObject('ColdTransfer', 'The agent leaves the call immediately.', {
  type: z.literal('cold_transfer'),
  cold_transfer_mode: z
    .enum(['sip_invite', 'sip_refer'])
    .optional()
    .describe('`sip_invite` calls the destination directly; `sip_refer` lets the carrier call the destination.'),
  ...transferFields,
})

export const WarmTransfer = defineDescribedObject('WarmTransfer', 'The agent waits until a person answers.', {
  type: z.literal('warm_transfer'),
  agent_detection_timeout_ms: integer(0, 600_000)
    .optional()
    .describe('Maximum time in milliseconds to wait for a person to answer.'),
  opt_out_human_detection: z
    .boolean()
    .optional()
    .describe('Whether to connect without checking that a person has answered.'),
  ...transferFields,
})

export const AgenticWarmTransfer = defineDescribedObject(
  'AgenticWarmTransfer',
  'Another agent talks with the destination first.',
  {
    type: z.literal('agentic_warm_transfer'),
    agentic_transfer_config: z
      .object({
        transfer_agent: z
          .object({
            agent_id: id().describe('ID of an agent in the workspace.'),
            agent_version: integer(1).optional().describe('Version of the agent. Defaults to the active version.'),
          })
          .describe('Agent that talks with the destination.'),
        transfer_timeout_ms: integer(1_000, 600_000)
          .optional()
          .describe('Maximum time for the decision in milliseconds.'),
        action_on_timeout: z
          .enum(['bridge_transfer', 'cancel_transfer'])
          .optional()
          .describe('Action after `transfer_timeout_ms`: connect both parties, or return the caller.'),
      })
      .describe('Settings of the agent that talks with the destination.'),
    ...transferFields,
  },
)

export const TransferOption = z
  .discriminatedUnion('type', [ColdTransfer, WarmTransfer, AgenticWarmTransfer])
  .meta({ id: 'TransferOption' })
export type TransferOption = z.infer<typeof TransferOption>

export const TransferCallTool = defineDescribedObject('TransferCallTool', 'Transfers the call.', {
  type: z.literal('transfer_call'),
  ...commonToolFields,
  transfer_destination: TransferDestination.describe('Destination, either fixed or chosen by the model.'),
  transfer_option: TransferOption.describe('Kind of transfer.'),
  custom_sip_headers: HeaderMap.optional().describe('SIP headers of the request, at most 50.'),
  ignore_e164_validation: z
    .boolean()
    .optional()
    .describe('Whether to dial the number unchanged instead of converting it to E.164 format.'),
})
export type TransferCallTool = z.infer<typeof TransferCallTool>
