import { z } from 'zod'
import { id, integer } from './fields.ts'
import { commonToolFields, HeaderMap, sentence } from './tool-fields.ts'

/** `transfer_call`: hands a call to a person or another agent. */

/** A dialled number, a SIP address or a variable that will hold one. Too long a text ends before the slower pattern. */
const Destination = z
  .string()
  .max(200, { abort: true })
  .regex(
    /^(?:\+?[\d*#][\d\s().*#-]*$|sips?:\S+$|(?=.*$)(?:[^{]|\{(?!\{))*\{\{.+\}\})/,
    'must be a phone number, a SIP address or hold a {{variable}}',
  )

export const PredefinedDestination = z
  .object({
    type: z.literal('predefined'),
    number: Destination.meta({ description: 'Number in E.164 form, SIP address, or text with `{{variables}}`.' }),
    extension: z
      .string()
      .max(100, { abort: true })
      .regex(
        /^(?:[\d*#pw,]+$|(?=.*$)(?:[^{]|\{(?!\{))*\{\{.+\}\})/,
        'must be digits, "*", "#", pauses or hold a {{variable}}',
      )
      .optional()
      .meta({ description: 'Digits sent once the destination has answered.' }),
  })
  .meta({ id: 'PredefinedDestination' })

export const InferredDestination = z
  .object({
    type: z.literal('inferred'),
    prompt: sentence().min(1).meta({ description: 'Tells the model how to pick the destination.' }),
  })
  .meta({ id: 'InferredDestination' })

export const TransferDestination = z
  .discriminatedUnion('type', [PredefinedDestination, InferredDestination])
  .meta({ id: 'TransferDestination' })
export type TransferDestination = z.infer<typeof TransferDestination>

/** What is said at the hand-over: to both parties (public) or to the destination alone (private). */
export const HandoffOption = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('prompt'), prompt: sentence() }).meta({ id: 'PromptHandoff' }),
    z.object({ type: z.literal('static_message'), message: sentence() }).meta({ id: 'StaticMessageHandoff' }),
  ])
  .meta({ id: 'HandoffOption' })
export type HandoffOption = z.infer<typeof HandoffOption>

const transferFields = {
  show_transferee_as_caller: z
    .boolean()
    .optional()
    .meta({ description: 'Show the number of the person being transferred instead of the agent’s.' }),
  transfer_ring_duration_ms: integer(5_000, 90_000)
    .optional()
    .meta({ description: 'How long the destination may ring, in milliseconds.' }),
  on_hold_music: z
    .enum(['none', 'relaxing_sound', 'uplifting_beats', 'ringtone', 'custom'])
    .optional()
    .meta({ description: 'What the person on hold hears.' }),
  custom_on_hold_music_asset_id: id().optional().meta({ description: 'The recording, with `on_hold_music` `custom`.' }),
  public_handoff_option: HandoffOption.optional().meta({ description: 'What both parties hear at the hand-over.' }),
  private_handoff_option: HandoffOption.optional().meta({
    description: 'What only the destination hears before the hand-over.',
  }),
  ivr_option: z
    .object({ type: z.literal('prompt'), prompt: sentence() })
    .optional()
    .meta({ description: 'How to get through a phone menu at the destination.' }),
  enable_bridge_audio_cue: z.boolean().optional().meta({ description: 'Play a tone when both parties are connected.' }),
}

export const ColdTransfer = z
  .object({
    type: z.literal('cold_transfer'),
    cold_transfer_mode: z.enum(['sip_invite', 'sip_refer']).optional().meta({
      description: '`sip_invite` calls the destination from here, `sip_refer` lets the carrier do it.',
    }),
    ...transferFields,
  })
  .meta({ id: 'ColdTransfer', description: 'The agent leaves at once.' })

export const WarmTransfer = z
  .object({
    type: z.literal('warm_transfer'),
    agent_detection_timeout_ms: integer(0, 600_000)
      .optional()
      .meta({ description: 'How long to wait for a person at the destination, in milliseconds.' }),
    opt_out_human_detection: z
      .boolean()
      .optional()
      .meta({ description: 'Connect without finding out whether a person has answered.' }),
    ...transferFields,
  })
  .meta({ id: 'WarmTransfer', description: 'The agent waits until a person has answered.' })

export const AgenticWarmTransfer = z
  .object({
    type: z.literal('agentic_warm_transfer'),
    agentic_transfer_config: z
      .object({
        transfer_agent: z
          .object({
            agent_id: id().meta({ description: 'An agent of the workspace.' }),
            agent_version: integer(1).optional().meta({ description: 'The active version when absent.' }),
          })
          .meta({ description: 'The agent that speaks with the destination.' }),
        transfer_timeout_ms: integer(1_000, 600_000)
          .optional()
          .meta({ description: 'How long it may take to decide, in milliseconds.' }),
        action_on_timeout: z
          .enum(['bridge_transfer', 'cancel_transfer'])
          .optional()
          .meta({ description: 'What happens when it took longer: connect both parties, or give the caller back.' }),
      })
      .meta({ description: 'Who speaks with the destination, and for how long.' }),
    ...transferFields,
  })
  .meta({ id: 'AgenticWarmTransfer', description: 'Another agent speaks with the destination first.' })

export const TransferOption = z
  .discriminatedUnion('type', [ColdTransfer, WarmTransfer, AgenticWarmTransfer])
  .meta({ id: 'TransferOption' })
export type TransferOption = z.infer<typeof TransferOption>

export const TransferCallTool = z
  .object({
    type: z.literal('transfer_call'),
    ...commonToolFields,
    transfer_destination: TransferDestination.meta({ description: 'Where to: set here, or picked by the model.' }),
    transfer_option: TransferOption.meta({
      description: 'How: the agent leaves at once, waits, or another one speaks first.',
    }),
    custom_sip_headers: HeaderMap.optional().meta({ description: 'Headers of the SIP request, at most 50.' }),
    ignore_e164_validation: z
      .boolean()
      .optional()
      .meta({ description: 'Dial the number as it stands instead of bringing it into E.164 form.' }),
  })
  .meta({ id: 'TransferCallTool', description: 'Transfers the call.' })
export type TransferCallTool = z.infer<typeof TransferCallTool>
