import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolNumber, ToolText } from '../bound-fields.tsx'

const SERVICE = 'Cal.com'
const EXAMPLE_ZONE = 'Europe/Berlin'

/** Settings for Cal.com. */
export function CalendarForm() {
  const t = useText()
  return (
    <FormGroup title={SERVICE}>
      <ToolText path="cal_api_key" label={t('Key')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolNumber path="event_type_id" label={t('Id of the kind of event')} minimum={0} />
        <ToolText path="timezone" label={t('Time zone')} placeholder={EXAMPLE_ZONE} isOptional />
      </div>
    </FormGroup>
  )
}
