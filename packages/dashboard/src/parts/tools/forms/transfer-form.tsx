import type { TransferOption } from '@parley/contract/transfer-tool'
import { SelectField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import {
  FormGroup,
  ToolNumber,
  ToolPairs,
  ToolRecord,
  ToolSelect,
  ToolSwitch,
  ToolText,
  ToolWords,
} from '../bound-fields.tsx'
import { useToolField, useVariant } from '../tool-form.ts'

const MS_PER_S = 1_000
const DESTINATION = 'transfer_destination'
const OPTION = 'transfer_option'

/** What every way of transferring has; kept when another way is chosen. */
const SHARED = [
  'show_transferee_as_caller',
  'transfer_ring_duration_ms',
  'on_hold_music',
  'custom_on_hold_music_asset_id',
  'public_handoff_option',
  'private_handoff_option',
  'ivr_option',
  'enable_bridge_audio_cue',
] as const satisfies readonly (keyof TransferOption)[]

/** Transfers a call: where to, in which way, and what is heard meanwhile. */
export function TransferForm() {
  const t = useText()
  return (
    <>
      <FormGroup title={t('Where to')}>
        <DestinationFields />
      </FormGroup>
      <FormGroup title={t('In which way')}>
        <OptionFields />
      </FormGroup>
      <FormGroup title={t('At the hand-over')}>
        <HandoverFields />
      </FormGroup>
      <FormGroup title={t('Telephony')}>
        <ToolPairs path="custom_sip_headers" label={t('Headers of the SIP request')} addLabel={t('Add header')} />
        <ToolSwitch
          path="ignore_e164_validation"
          label={t('Dial the number as it stands')}
          help={t('Instead of bringing it into the international form first.')}
        />
      </FormGroup>
    </>
  )
}

function DestinationFields() {
  const t = useText()
  const { type, choose, ...field } = useVariant(DESTINATION)
  return (
    <>
      <SelectField
        {...field}
        label={t('Destination')}
        value={type}
        choices={[
          { value: 'predefined', label: t('Set here') },
          { value: 'inferred', label: t('Picked by the model') },
        ]}
        onChange={choose}
      />
      {type === 'predefined' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <ToolText
            path={`${DESTINATION}.number`}
            label={t('Number or SIP address')}
            help={t('May hold {example}.', { example: '{{variables}}' })}
            placeholder="+493012345678"
          />
          <ToolText
            path={`${DESTINATION}.extension`}
            label={t('Extension')}
            help={t('Digits sent once it has answered.')}
            isOptional
          />
        </div>
      )}
      {type === 'inferred' && (
        <ToolWords path={`${DESTINATION}.prompt`} label={t('How the model picks the destination')} />
      )}
    </>
  )
}

function OptionFields() {
  const t = useText()
  const { type, choose, ...field } = useVariant(OPTION, SHARED)
  return (
    <>
      <SelectField
        {...field}
        label={t('Way')}
        value={type}
        choices={[
          { value: 'cold_transfer', label: t('Cold: the agent leaves at once') },
          { value: 'warm_transfer', label: t('Warm: the agent waits until a person has answered') },
          { value: 'agentic_warm_transfer', label: t('Agentic: another agent speaks with the destination first') },
        ]}
        onChange={choose}
      />
      {type === 'cold_transfer' && (
        <ToolSelect
          path={`${OPTION}.cold_transfer_mode`}
          label={t('Carried out by')}
          absentLabel={t('Not set')}
          choices={[
            { value: 'sip_invite', label: t('This server, which calls the destination (SIP INVITE)') },
            { value: 'sip_refer', label: t('The carrier (SIP REFER)') },
          ]}
        />
      )}
      {type === 'warm_transfer' && <WarmFields />}
      {type === 'agentic_warm_transfer' && <AgenticFields />}
    </>
  )
}

function WarmFields() {
  const t = useText()
  return (
    <>
      <ToolNumber
        path={`${OPTION}.agent_detection_timeout_ms`}
        label={t('Wait so long for a person to answer')}
        unit="s"
        scale={MS_PER_S}
        minimum={0}
        maximum={600}
      />
      <ToolSwitch
        path={`${OPTION}.opt_out_human_detection`}
        label={t('Connect without finding out whether a person has answered')}
      />
    </>
  )
}

function AgenticFields() {
  const t = useText()
  const config = `${OPTION}.agentic_transfer_config`
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ToolRecord
        path={`${config}.transfer_agent.agent_id`}
        kinds={['agents', 'chatAgents']}
        label={t('Agent that speaks with the destination')}
      />
      <ToolNumber
        path={`${config}.transfer_agent.agent_version`}
        label={t('Its version')}
        placeholder={t('active')}
        minimum={1}
      />
      <ToolNumber
        path={`${config}.transfer_timeout_ms`}
        label={t('Time to decide')}
        unit="s"
        scale={MS_PER_S}
        minimum={1}
        maximum={600}
      />
      <ToolSelect
        path={`${config}.action_on_timeout`}
        label={t('When it took longer')}
        absentLabel={t('Not set')}
        choices={[
          { value: 'bridge_transfer', label: t('Connect both parties') },
          { value: 'cancel_transfer', label: t('Give the caller back') },
        ]}
      />
    </div>
  )
}

function HandoverFields() {
  const t = useText()
  const music = useToolField(`${OPTION}.on_hold_music`).value
  return (
    <>
      <ToolSwitch
        path={`${OPTION}.show_transferee_as_caller`}
        label={t('Show the number of the person who is transferred')}
        help={t('Off: that of the agent.')}
      />
      <ToolNumber
        path={`${OPTION}.transfer_ring_duration_ms`}
        label={t('The destination may ring for')}
        unit="s"
        scale={MS_PER_S}
        minimum={5}
        maximum={90}
      />
      <ToolSelect
        path={`${OPTION}.on_hold_music`}
        label={t('Heard while waiting')}
        absentLabel={t('Not set')}
        choices={[
          { value: 'none', label: t('Nothing') },
          { value: 'relaxing_sound', label: t('Relaxing sound') },
          { value: 'uplifting_beats', label: t('Uplifting beats') },
          { value: 'ringtone', label: t('Ringing') },
          { value: 'custom', label: t('A recording of your own') },
        ]}
      />
      {music === 'custom' && (
        <ToolText path={`${OPTION}.custom_on_hold_music_asset_id`} label={t('Id of the recording')} isOptional />
      )}
      <HandoffField path={`${OPTION}.public_handoff_option`} label={t('Said to both parties')} />
      <HandoffField path={`${OPTION}.private_handoff_option`} label={t('Said to the destination alone, before')} />
      <HandoffField
        path={`${OPTION}.ivr_option`}
        label={t('How to get through a phone menu at the destination')}
        isPromptOnly
      />
      <ToolSwitch path={`${OPTION}.enable_bridge_audio_cue`} label={t('Play a tone when both parties are connected')} />
    </>
  )
}

const NOTHING = ''

/** What is said at a hand-over: nothing, words of the model, or the same words every time. */
function HandoffField({
  path,
  label,
  isPromptOnly = false,
}: {
  readonly path: string
  readonly label: string
  readonly isPromptOnly?: boolean
}) {
  const t = useText()
  const { type, choose, ...field } = useVariant(path)
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        {...field}
        label={label}
        value={type}
        choices={[
          { value: NOTHING, label: isPromptOnly ? t('Not set') : t('Nothing') },
          { value: 'prompt', label: isPromptOnly ? t('By an instruction') : t('Words of the model') },
          ...(isPromptOnly ? [] : [{ value: 'static_message', label: t('The same words every time') }]),
        ]}
        onChange={(chosen) => choose(chosen === NOTHING ? null : chosen)}
      />
      {type === 'prompt' && <ToolWords path={`${path}.prompt`} label={t('Instruction')} />}
      {type === 'static_message' && <ToolWords path={`${path}.message`} label={t('Words to say')} />}
    </div>
  )
}
