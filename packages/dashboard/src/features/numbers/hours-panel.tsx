import type { TimeRouting } from '@parley/contract/time-routing'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import type { NumberPanelProps } from './answering-panel.tsx'
import { HoursWindow } from './hours-window.tsx'
import {
  MOST_WINDOWS,
  moveEntry,
  OFFERED_TIMES,
  overlap,
  ownTimeZone,
  TIMES_LIST,
  type TimeWindow,
  timeZones,
} from './week-times.ts'

const OFFICE_HOURS: TimeWindow = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '09:00',
  end: '17:00',
  agent_id: '',
  agent_version: null,
}

/** Who answers at which hours of the week. */
export function HoursPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  const routing: TimeRouting = value.time_routing ?? { timezone: ownTimeZone(), windows: [], fallback_agent_id: null }
  const change = (changes: Partial<TimeRouting>): void => onChange({ time_routing: { ...routing, ...changes } })
  const isShown = value.is_time_routing_enabled || routing.windows.length > 0
  return (
    <Panel
      title={t('Hours')}
      description={t('At the hours below their agent answers; outside of them the one for all other hours.')}
    >
      <SwitchField
        label={t('The time of the week decides who answers')}
        disabled={disabled}
        value={value.is_time_routing_enabled}
        onChange={(isOn) =>
          onChange({
            is_time_routing_enabled: isOn,
            ...(isOn && value.time_routing === null && { time_routing: routing }),
          })
        }
      />
      {isShown && <Week routing={routing} onChange={change} disabled={disabled} isOn={value.is_time_routing_enabled} />}
    </Panel>
  )
}

interface WeekProps {
  readonly routing: TimeRouting
  readonly onChange: (changes: Partial<TimeRouting>) => void
  readonly disabled: boolean
}

function Week({ routing, onChange, disabled, isOn }: WeekProps & { readonly isOn: boolean }) {
  const t = useText()
  const { windows } = routing
  const hasOverlap = windows.some((one, at) => windows.slice(at + 1).some((other) => overlap(one, other)))
  return (
    <>
      <datalist id={TIMES_LIST}>
        {OFFERED_TIMES.map((time) => (
          <option key={time} value={time} />
        ))}
      </datalist>
      <OtherHours routing={routing} onChange={onChange} disabled={disabled} />
      {isOn && windows.length === 0 && (
        <p className="text-warn">{t('Without hours this has no effect: the inbound agents answer all week.')}</p>
      )}
      {windows.length > 0 && (
        <ul className="flex flex-col gap-4">
          {windows.map((window, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: windows have no identity.
            <li key={index} className="border-t border-line pt-4">
              <HoursWindow
                window={window}
                index={index}
                count={windows.length}
                disabled={disabled}
                onChange={(changes) =>
                  onChange({ windows: windows.map((each, at) => (at === index ? { ...each, ...changes } : each)) })
                }
                onMove={(by) => onChange({ windows: moveEntry(windows, index, by) })}
                onRemove={() => onChange({ windows: windows.filter((_window, at) => at !== index) })}
              />
            </li>
          ))}
        </ul>
      )}
      {hasOverlap && <p className="text-muted">{t('Some hours overlap: of those the first one counts.')}</p>}
      {!disabled && windows.length < MOST_WINDOWS && (
        <Button icon={Plus} className="w-fit" onClick={() => onChange({ windows: [...windows, OFFICE_HOURS] })}>
          {t('Add hours')}
        </Button>
      )}
    </>
  )
}

/** Where the week is told, and who answers when no window says so. */
function OtherHours({ routing, onChange, disabled }: WeekProps) {
  const t = useText()
  const { choices, isLoading } = useChoices('agents')
  const zones = useMemo(() => timeZones().map((id) => ({ id, label: id })), [])
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <RecordField
        label={t('Time zone')}
        name="time_routing.timezone"
        choices={zones}
        disabled={disabled}
        value={routing.timezone}
        onChange={(timezone) => timezone !== null && onChange({ timezone })}
      />
      <RecordField
        label={t('At all other hours')}
        name="time_routing.fallback_agent_id"
        noneLabel={t('Nobody')}
        choices={choices}
        isLoading={isLoading}
        disabled={disabled}
        value={routing.fallback_agent_id}
        onChange={(id) => onChange({ fallback_agent_id: id })}
      />
    </div>
  )
}
