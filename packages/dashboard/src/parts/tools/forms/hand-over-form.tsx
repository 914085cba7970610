import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolNumber, ToolRecord, ToolSelect, ToolSwitch } from '../bound-fields.tsx'

/** Another agent goes on with the conversation. */
export function HandOverForm() {
  const t = useText()
  const both = { value: 'both_agents', label: t('Both agents') }
  const destination = { value: 'only_destination_agent', label: t('Only the agent that takes over') }
  const source = { value: 'only_source_agent', label: t('Only the first agent') }
  return (
    <FormGroup title={t('Hand-over')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolRecord path="agent_id" kinds={['agents', 'chatAgents']} label={t('Agent')} />
        <ToolNumber path="agent_version" label={t('Its version')} placeholder={t('active')} minimum={1} />
        <ToolSelect
          path="post_call_analysis_setting"
          label={t('Analysed afterwards')}
          absentLabel={t('Not set')}
          choices={[both, destination]}
        />
        <ToolSelect
          path="webhook_setting"
          label={t('Webhooks are told of')}
          absentLabel={t('Not set')}
          choices={[both, destination, source]}
        />
      </div>
      <ToolSwitch path="keep_current_voice" label={t('Go on with the voice of the first agent')} />
      <ToolSwitch path="keep_current_language" label={t('Go on with the language of the first agent')} />
    </FormGroup>
  )
}
