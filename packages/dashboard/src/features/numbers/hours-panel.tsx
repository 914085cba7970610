import type { TimeRouting } from '@parley/contract/time-routing'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS, Field, useFieldProblem } from '../../components/field.tsx'
import { SwitchField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useLanguage, useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { AgentFields } from './agent-fields.tsx'
import type { NumberPanelProps } from './number-panels.tsx'
import {
  getBrowserTimeZone,
  isOverlapping,
  listDayNames,
  listTimeZones,
  MAX_WINDOWS,
  moveEntry,
  normalizeTime,
  TIME_OPTIONS,
  TIME_OPTIONS_ID,
  type TimeWindow,
  toggleDay,
  WEEKDAYS,
} from './week-times.ts'

const OFFICE_HOURS: TimeWindow = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '09:00',
  end: '17:00',
  agent_id: '',
  agent_version: null,
}

/** Renders the weekly schedule that routes calls to agents. */
export function HoursPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  const routing: TimeRouting = value.time_routing ?? {
    timezone: getBrowserTimeZone(),
    windows: [],
    fallback_agent_id: null,
  }
  const updateRouting = (changes: Partial<TimeRouting>): void => onChange({ time_routing: { ...routing, ...changes } })
  const isVisible = value.is_time_routing_enabled || routing.windows.length > 0
  return (
    <Panel title={t('Hours')} description={t('Assign agents by day and time.')}>
      <SwitchField
        label={t('Route by time')}
        disabled={disabled}
        value={value.is_time_routing_enabled}
        onChange={(isEnabled) =>
          onChange({
            is_time_routing_enabled: isEnabled,
            ...(isEnabled && value.time_routing === null && { time_routing: routing }),
          })
        }
      />
      {isVisible && (
        <Schedule
          routing={routing}
          onChange={updateRouting}
          disabled={disabled}
          isEnabled={value.is_time_routing_enabled}
        />
      )}
    </Panel>
  )
}

interface ScheduleProps {
  readonly routing: TimeRouting
  readonly onChange: (changes: Partial<TimeRouting>) => void
  readonly disabled: boolean
}

function Schedule({ routing, onChange, disabled, isEnabled }: ScheduleProps & { readonly isEnabled: boolean }) {
  const t = useText()
  const { windows } = routing
  const hasOverlap = windows.some((first, i) => windows.slice(i + 1).some((second) => isOverlapping(first, second)))
  return (
    <>
      <datalist id={TIME_OPTIONS_ID}>
        {TIME_OPTIONS.map((time) => (
          <option key={time} value={time} />
        ))}
      </datalist>
      <RoutingFields routing={routing} onChange={onChange} disabled={disabled} />
      {isEnabled && windows.length === 0 && (
        <p className="text-warn">{t('Without hours, the inbound agents answer at all times.')}</p>
      )}
      {windows.length > 0 && (
        <ul className="flex flex-col gap-4">
          {windows.map((window, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: windows have no ids.
            <li key={index} className="border-t border-line pt-4">
              <HoursWindow
                window={window}
                index={index}
                count={windows.length}
                disabled={disabled}
                onChange={(changes) =>
                  onChange({
                    windows: windows.map((item, i) => (i === index ? { ...item, ...changes } : item)),
                  })
                }
                onMove={(offset) => onChange({ windows: moveEntry(windows, index, offset) })}
                onRemove={() => onChange({ windows: windows.filter((_window, i) => i !== index) })}
              />
            </li>
          ))}
        </ul>
      )}
      {hasOverlap && <p className="text-muted">{t('Some hours overlap. The first match applies.')}</p>}
      {!disabled && windows.length < MAX_WINDOWS && (
        <Button icon={Plus} className="w-fit" onClick={() => onChange({ windows: [...windows, OFFICE_HOURS] })}>
          {t('Add hours')}
        </Button>
      )}
    </>
  )
}

function RoutingFields({ routing, onChange, disabled }: ScheduleProps) {
  const t = useText()
  const { choices, isLoading } = useChoices('agents')
  const timeZoneChoices = useMemo(() => listTimeZones().map((id) => ({ id, label: id })), [])
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <RecordField
        label={t('Time zone')}
        name="time_routing.timezone"
        choices={timeZoneChoices}
        disabled={disabled}
        value={routing.timezone}
        onChange={(timezone) => timezone !== null && onChange({ timezone })}
      />
      <RecordField
        label={t('All other hours')}
        name="time_routing.fallback_agent_id"
        emptyLabel={t('None')}
        choices={choices}
        isLoading={isLoading}
        disabled={disabled}
        value={routing.fallback_agent_id}
        onChange={(id) => onChange({ fallback_agent_id: id })}
      />
    </div>
  )
}

interface HoursWindowProps {
  readonly window: TimeWindow
  readonly index: number
  readonly count: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<TimeWindow>) => void
  readonly onMove: (offset: -1 | 1) => void
  readonly onRemove: () => void
}

function HoursWindow({ window, index, count, disabled, onChange, onMove, onRemove }: HoursWindowProps) {
  const t = useText()
  const labelValues = { number: index + 1 }
  const name = `time_routing.windows[${index}]`
  return (
    <fieldset aria-label={t('Hours {number}', labelValues)} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <DayButtons window={window} name={`${name}.days`} disabled={disabled} onChange={onChange} />
        <TimeField
          label={t('From')}
          name={`${name}.start`}
          value={window.start}
          disabled={disabled}
          onChange={(start) => onChange({ start })}
        />
        <TimeField
          label={t('To')}
          name={`${name}.end`}
          value={window.end}
          disabled={disabled}
          onChange={(end) => onChange({ end })}
        />
      </div>
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_9rem_auto]">
        <AgentFields
          label={t('Agent')}
          name={`${name}.agent_id`}
          value={window}
          disabled={disabled}
          onChange={(choice) => choice && onChange(choice)}
        />
        {!disabled && (
          <div className="ms-auto flex">
            <IconButton
              icon={ArrowUp}
              label={t('Move time window {number} up', labelValues)}
              disabled={index === 0}
              onClick={() => onMove(-1)}
            />
            <IconButton
              icon={ArrowDown}
              label={t('Move time window {number} down', labelValues)}
              disabled={index === count - 1}
              onClick={() => onMove(1)}
            />
            <IconButton icon={Trash2} label={t('Remove time window {number}', labelValues)} onClick={onRemove} />
          </div>
        )}
      </div>
    </fieldset>
  )
}

function DayButtons({
  window: { days },
  name,
  disabled,
  onChange,
}: Pick<HoursWindowProps, 'window' | 'disabled' | 'onChange'> & { readonly name: string }) {
  const t = useText()
  const language = useLanguage()
  const shortNames = listDayNames(language, 'short')
  const problem = useFieldProblem(name)
  const longNames = listDayNames(language, 'long')
  return (
    <fieldset data-field={name} className="flex min-w-0 flex-col">
      <legend className="pb-1.5 font-medium">{t('Days')}</legend>
      <div className="flex flex-wrap gap-1">
        {WEEKDAYS.map((day) => {
          const isSelected = days.includes(day)
          return (
            <button
              key={day}
              type="button"
              aria-pressed={isSelected}
              title={longNames[day]}
              disabled={disabled}
              onClick={() => onChange({ days: toggleDay(days, day) })}
              className={clsx(
                'min-h-9 min-w-10 rounded-md border px-1.5 disabled:opacity-60',
                isSelected
                  ? 'border-brand-text bg-panel font-semibold text-brand-text ring-1 ring-brand-text'
                  : 'border-line-strong bg-panel text-muted',
              )}
            >
              {shortNames[day]}
            </button>
          )
        })}
      </div>
      {problem !== null && (
        <p role="alert" className="mt-1.5 text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

interface TimeFieldProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly disabled: boolean
  readonly onChange: (time: string) => void
}

/** Renders a time as a text field, because time inputs do not accept 24:00. */
function TimeField({ label, name, value, disabled, onChange }: TimeFieldProps) {
  return (
    <Field label={label} name={name} className="w-28">
      {(control) => (
        <input
          {...control}
          className={`${CONTROL_CLASS} tabular-nums`}
          list={TIME_OPTIONS_ID}
          inputMode="numeric"
          maxLength={5}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => value !== normalizeTime(value) && onChange(normalizeTime(value))}
        />
      )}
    </Field>
  )
}
