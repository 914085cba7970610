import type { TransferOption } from '@parley/contract/transfer-tool'
import { SelectField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import {
  FormGroup,
  ToolNumber,
  ToolPairs,
  ToolRecord,
  ToolSelect,
  ToolSwitch,
  ToolText,
  ToolTextArea,
} from './bound-fields.tsx'
import { useToolField, useVariant } from './tool-draft.ts'

const MS_PER_S = 1_000
const DESTINATION_PATH = 'transfer_destination'
const OPTION_PATH = 'transfer_option'

/** Fields that all transfer modes share. */
const SHARED_FIELDS = [
  'show_transferee_as_caller',
  'transfer_ring_duration_ms',
  'on_hold_music',
  'custom_on_hold_music_asset_id',
  'public_handoff_option',
  'private_handoff_option',
  'ivr_option',
  'enable_bridge_audio_cue',
] as const satisfies readonly (keyof TransferOption)[]

export function TransferForm() {
  const t = useText()
  return (
    <>
      <FormGroup title={t('Destination')}>
        <DestinationFields />
      </FormGroup>
      <FormGroup title={t('Mode')}>
        <OptionFields />
      </FormGroup>
      <FormGroup title={t('Handoff')}>
        <HandoffFields />
      </FormGroup>
      <FormGroup title={t('Telephony')}>
        <ToolPairs path="custom_sip_headers" label={t('SIP headers')} addLabel={t('Add header')} />
        <ToolSwitch
          path="ignore_e164_validation"
          label={t('Dial as entered')}
          help={t('Does not convert the number to E.164 first.')}
        />
      </FormGroup>
    </>
  )
}

function DestinationFields() {
  const t = useText()
  const { type, selectVariant, ...field } = useVariant(DESTINATION_PATH)
  return (
    <>
      <SelectField
        {...field}
        label={t('Type')}
        value={type}
        choices={[
          { value: 'predefined', label: t('Fixed') },
          { value: 'inferred', label: t('Model') },
        ]}
        onChange={selectVariant}
      />
      {type === 'predefined' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <ToolText
            path={`${DESTINATION_PATH}.number`}
            label={t('Number or SIP URI')}
            help={t('Can contain {example}.', { example: '{{variables}}' })}
            placeholder="+493012345678"
          />
          <ToolText
            path={`${DESTINATION_PATH}.extension`}
            label={t('Extension')}
            help={t('Sent after the call is answered.')}
            isOptional
          />
        </div>
      )}
      {type === 'inferred' && <ToolTextArea path={`${DESTINATION_PATH}.prompt`} label={t('Instructions')} />}
    </>
  )
}

function OptionFields() {
  const t = useText()
  const { type, selectVariant, ...field } = useVariant(OPTION_PATH, SHARED_FIELDS)
  return (
    <>
      <SelectField
        {...field}
        label={t('Mode')}
        value={type}
        choices={[
          { value: 'cold_transfer', label: t('Cold: the agent leaves immediately') },
          { value: 'warm_transfer', label: t('Warm: the agent waits for a person') },
          { value: 'agentic_warm_transfer', label: t('Agentic: another agent speaks first') },
        ]}
        onChange={selectVariant}
      />
      {type === 'cold_transfer' && (
        <ToolSelect
          path={`${OPTION_PATH}.cold_transfer_mode`}
          label={t('Method')}
          unsetLabel={t('Not set')}
          choices={[
            { value: 'sip_invite', label: t('SIP INVITE (by this server)') },
            { value: 'sip_refer', label: t('SIP REFER (by the carrier)') },
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
        path={`${OPTION_PATH}.agent_detection_timeout_ms`}
        label={t('Detection timeout')}
        unit="s"
        scale={MS_PER_S}
        minimum={0}
        maximum={600}
      />
      <ToolSwitch path={`${OPTION_PATH}.opt_out_human_detection`} label={t('Skip human detection')} />
    </>
  )
}

function AgenticFields() {
  const t = useText()
  const config = `${OPTION_PATH}.agentic_transfer_config`
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ToolRecord path={`${config}.transfer_agent.agent_id`} kinds={['agents', 'chatAgents']} label={t('Agent')} />
      <ToolNumber
        path={`${config}.transfer_agent.agent_version`}
        label={t('Version')}
        placeholder={t('live')}
        minimum={1}
      />
      <ToolNumber
        path={`${config}.transfer_timeout_ms`}
        label={t('Timeout')}
        unit="s"
        scale={MS_PER_S}
        minimum={1}
        maximum={600}
      />
      <ToolSelect
        path={`${config}.action_on_timeout`}
        label={t('On timeout')}
        unsetLabel={t('Not set')}
        choices={[
          { value: 'bridge_transfer', label: t('Complete transfer') },
          { value: 'cancel_transfer', label: t('Cancel transfer') },
        ]}
      />
    </div>
  )
}

function HandoffFields() {
  const t = useText()
  const holdMusic = useToolField(`${OPTION_PATH}.on_hold_music`).value
  return (
    <>
      <ToolSwitch
        path={`${OPTION_PATH}.show_transferee_as_caller`}
        label={t('Show caller’s number')}
        help={t('If off, the agent’s number is shown.')}
      />
      <ToolNumber
        path={`${OPTION_PATH}.transfer_ring_duration_ms`}
        label={t('Ring timeout')}
        unit="s"
        scale={MS_PER_S}
        minimum={5}
        maximum={90}
      />
      <ToolSelect
        path={`${OPTION_PATH}.on_hold_music`}
        label={t('Hold music')}
        unsetLabel={t('Not set')}
        choices={[
          { value: 'none', label: t('None') },
          { value: 'relaxing_sound', label: t('Relaxing sound') },
          { value: 'uplifting_beats', label: t('Uplifting beats') },
          { value: 'ringtone', label: t('Ringtone') },
          { value: 'custom', label: t('Custom recording') },
        ]}
      />
      {holdMusic === 'custom' && (
        <ToolText path={`${OPTION_PATH}.custom_on_hold_music_asset_id`} label={t('Recording ID')} isOptional />
      )}
      <HandoffField path={`${OPTION_PATH}.public_handoff_option`} label={t('Message to both parties')} />
      <HandoffField path={`${OPTION_PATH}.private_handoff_option`} label={t('Private message')} />
      <HandoffField path={`${OPTION_PATH}.ivr_option`} label={t('Phone menu instructions')} isPromptOnly />
      <ToolSwitch path={`${OPTION_PATH}.enable_bridge_audio_cue`} label={t('Connection tone')} />
    </>
  )
}

const NO_HANDOFF = ''

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
  const { type, selectVariant, ...field } = useVariant(path)
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        {...field}
        label={label}
        value={type}
        choices={[
          { value: NO_HANDOFF, label: isPromptOnly ? t('Not set') : t('None') },
          { value: 'prompt', label: isPromptOnly ? t('Instructions') : t('Generated by the model') },
          ...(isPromptOnly ? [] : [{ value: 'static_message', label: t('Fixed text') }]),
        ]}
        onChange={(selected) => selectVariant(selected === NO_HANDOFF ? null : selected)}
      />
      {type === 'prompt' && <ToolTextArea path={`${path}.prompt`} label={t('Instructions')} />}
      {type === 'static_message' && <ToolTextArea path={`${path}.message`} label={t('Text')} />}
    </div>
  )
}

export function AgentTransferForm() {
  const t = useText()
  const bothAgents = { value: 'both_agents', label: t('Both agents') }
  const destinationAgent = { value: 'only_destination_agent', label: t('Next agent only') }
  const sourceAgent = { value: 'only_source_agent', label: t('First agent only') }
  return (
    <FormGroup title={t('Agent transfer')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolRecord path="agent_id" kinds={['agents', 'chatAgents']} label={t('Agent')} />
        <ToolNumber path="agent_version" label={t('Version')} placeholder={t('live')} minimum={1} />
        <ToolSelect
          path="post_call_analysis_setting"
          label={t('Analysis')}
          unsetLabel={t('Not set')}
          choices={[bothAgents, destinationAgent]}
        />
        <ToolSelect
          path="webhook_setting"
          label={t('Webhook events')}
          unsetLabel={t('Not set')}
          choices={[bothAgents, destinationAgent, sourceAgent]}
        />
      </div>
      <ToolSwitch path="keep_current_voice" label={t('Keep voice')} />
      <ToolSwitch path="keep_current_language" label={t('Keep current language')} />
    </FormGroup>
  )
}
