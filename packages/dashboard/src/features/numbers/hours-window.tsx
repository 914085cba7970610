import { clsx } from 'clsx'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS, Field, useFieldProblem } from '../../components/field.tsx'
import { useLanguage, useText } from '../../lib/language.ts'
import { AgentChoiceFields } from './agent-choice-fields.tsx'
import { dayNames, readTime, TIMES_LIST, type TimeWindow, toggleDay, WEEKDAYS } from './week-times.ts'

export interface HoursWindowProps {
  readonly window: TimeWindow
  readonly index: number
  readonly count: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<TimeWindow>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

/** Some hours on some days, and who answers in them. */
export function HoursWindow({ window, index, count, disabled, onChange, onMove, onRemove }: HoursWindowProps) {
  const t = useText()
  const place = { number: index + 1 }
  const name = `time_routing.windows[${index}]`
  return (
    <fieldset aria-label={t('Hours {number}', place)} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Days window={window} name={`${name}.days`} disabled={disabled} onChange={onChange} />
        <TimeField
          label={t('From')}
          name={`${name}.start`}
          value={window.start}
          disabled={disabled}
          onChange={(start) => onChange({ start })}
        />
        <TimeField
          label={t('Until')}
          name={`${name}.end`}
          value={window.end}
          disabled={disabled}
          onChange={(end) => onChange({ end })}
        />
      </div>
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_9rem_auto]">
        <AgentChoiceFields
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
              label={t('Move hours {number} up', place)}
              disabled={index === 0}
              onClick={() => onMove(-1)}
            />
            <IconButton
              icon={ArrowDown}
              label={t('Move hours {number} down', place)}
              disabled={index === count - 1}
              onClick={() => onMove(1)}
            />
            <IconButton icon={Trash2} label={t('Remove hours {number}', place)} onClick={onRemove} />
          </div>
        )}
      </div>
    </fieldset>
  )
}

function Days({
  window: { days },
  name,
  disabled,
  onChange,
}: Pick<HoursWindowProps, 'window' | 'disabled' | 'onChange'> & { readonly name: string }) {
  const t = useText()
  const language = useLanguage()
  const short = dayNames(language, 'short')
  const problem = useFieldProblem(name)
  const long = dayNames(language, 'long')
  return (
    <fieldset data-field={name} className="flex min-w-0 flex-col">
      <legend className="pb-1.5 font-medium">{t('Days')}</legend>
      <div className="flex flex-wrap gap-1">
        {WEEKDAYS.map((day) => {
          const isChosen = days.includes(day)
          return (
            <button
              key={day}
              type="button"
              aria-pressed={isChosen}
              title={long[day]}
              disabled={disabled}
              onClick={() => onChange({ days: toggleDay(days, day) })}
              className={clsx(
                'min-h-9 min-w-10 rounded-md border px-1.5 disabled:opacity-60',
                isChosen
                  ? 'border-brand-text bg-panel font-semibold text-brand-text ring-1 ring-brand-text'
                  : 'border-line-strong bg-panel text-muted',
              )}
            >
              {short[day]}
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

/** A time of the day as `HH:MM`; an input for times knows no 24:00. */
function TimeField({
  label,
  name,
  value,
  disabled,
  onChange,
}: {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly disabled: boolean
  readonly onChange: (time: string) => void
}) {
  return (
    <Field label={label} name={name} className="w-28">
      {(control) => (
        <input
          {...control}
          className={`${CONTROL_CLASS} tabular-nums`}
          list={TIMES_LIST}
          inputMode="numeric"
          maxLength={5}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => value !== readTime(value) && onChange(readTime(value))}
        />
      )}
    </Field>
  )
}
