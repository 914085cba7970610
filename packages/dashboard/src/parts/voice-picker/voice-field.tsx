import { ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { CONTROL_CLASS, type ControlProps, Field } from '../../components/field.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { PlayButton } from './play-button.tsx'
import { VoiceDialog } from './voice-dialog.tsx'
import { useVoiceLabels } from './voice-labels.ts'
import { useVoicePreview } from './voice-preview.ts'

export interface VoiceFieldProps {
  readonly label: string
  readonly help?: string
  /** Path in the request body. */
  readonly name?: string
  readonly value: string
  readonly onChange: (voiceId: string) => void
  readonly disabled?: boolean
}

/** Renders a voice that users select in a dialog. */
export function VoiceField({ label, help, name, value, onChange, disabled = false }: VoiceFieldProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Field label={label} {...(help !== undefined && { help })} {...(name !== undefined && { name })}>
      {(control) => (
        <>
          <SelectedVoice control={control} voiceId={value} disabled={disabled} onOpen={() => setIsOpen(true)} />
          {isOpen && <VoiceDialog selected={value} onSelect={onChange} onClose={() => setIsOpen(false)} />}
        </>
      )}
    </Field>
  )
}

function SelectedVoice({
  control,
  voiceId,
  disabled,
  onOpen,
}: {
  readonly control: ControlProps
  readonly voiceId: string
  readonly disabled: boolean
  readonly onOpen: () => void
}) {
  const t = useText()
  const can = useCan()
  const labels = useVoiceLabels()
  const preview = useVoicePreview()
  const { data: voice, error } = useRead('getVoice', { path: { voiceId } }, { enabled: voiceId !== '' })
  const isMissing = error?.code === 'not_found'
  const name = voice?.name ?? (voiceId === '' ? t('Choose a voice') : voiceId)
  return (
    <>
      <div className="flex items-center gap-2">
        {voiceId !== '' && can('getVoicePreview') && (
          <PlayButton voiceId={voiceId} name={name} preview={preview} disabled={isMissing} />
        )}
        <button
          {...control}
          type="button"
          disabled={disabled}
          aria-haspopup="dialog"
          aria-labelledby={`${control.id}-label ${control.id}-value`}
          className={`${CONTROL_CLASS} flex items-center justify-between gap-2 text-start`}
          onClick={() => {
            preview.stop()
            onOpen()
          }}
        >
          <span id={`${control.id}-value`} className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="min-w-0 truncate" dir="auto">
              {name}
            </span>
            <span className="min-w-0 truncate text-xs text-muted">
              {isMissing ? t('no longer available') : voice && labels.describeVoice(voice)}
            </span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </button>
      </div>
      {preview.problem && <ProblemNote problem={preview.problem.error} />}
    </>
  )
}
