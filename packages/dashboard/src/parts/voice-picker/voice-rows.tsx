import type { Voice } from '@parley/contract/voice'
import { Check, Pin, PinOff } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { PlayButton } from './play-button.tsx'
import { useVoiceLabels } from './voice-labels.ts'
import type { VoicePreview } from './voice-preview.ts'

const ROWS_PER_PAGE = 60

export interface VoiceRowsProps {
  /** Name of the list. */
  readonly label: string
  readonly voices: readonly Voice[]
  readonly selected: string
  /** IDs of the compared voices. */
  readonly pinned: ReadonlySet<string>
  readonly onPin: (voiceId: string) => void
  readonly preview: VoicePreview
  readonly canPlay: boolean
  readonly onSelect: (voice: Voice) => void
}

/** Renders a list of voices. Arrow keys move the focus, Space plays a voice, and Enter selects it. */
export function VoiceRows({ label, voices, selected, pinned, preview, canPlay, onPin, onSelect }: VoiceRowsProps) {
  const t = useText()
  const list = useRef<HTMLUListElement>(null)
  const [count, setCount] = useState(ROWS_PER_PAGE)
  const visibleVoices = voices.slice(0, count)
  return (
    <div className="flex flex-col gap-2">
      <ul ref={list} aria-label={label} className="flex flex-col gap-1">
        {visibleVoices.map((voice) => (
          <VoiceRow
            key={voice.voiceId}
            voice={voice}
            isSelected={voice.voiceId === selected}
            isPinned={pinned.has(voice.voiceId)}
            onPin={onPin}
            preview={preview}
            canPlay={canPlay}
            onSelect={onSelect}
            onKeyDown={(event) => {
              if (event.key === ' ' && canPlay) {
                event.preventDefault()
                preview.toggle(voice.voiceId)
              } else moveFocus(event, list.current)
            }}
          />
        ))}
      </ul>
      {voices.length > count && (
        <Button className="self-center" onClick={() => setCount(count + ROWS_PER_PAGE)}>
          {t('Show more ({count})', { count: voices.length - count })}
        </Button>
      )}
    </div>
  )
}

function VoiceRow({
  voice,
  isSelected,
  isPinned,
  preview,
  canPlay,
  onPin,
  onSelect,
  onKeyDown,
}: Omit<VoiceRowsProps, 'label' | 'voices' | 'selected' | 'pinned'> & {
  readonly voice: Voice
  readonly isSelected: boolean
  readonly isPinned: boolean
  readonly onKeyDown: (event: KeyboardEvent<HTMLButtonElement>) => void
}) {
  const t = useText()
  const labels = useVoiceLabels()
  const { voiceId, name, description, accent } = voice
  const problem = preview.problem?.voiceId === voiceId ? preview.problem.error : null
  return (
    <li className="rounded-md border border-transparent hover:bg-sunken has-aria-[current=true]:border-brand-text">
      <div className="flex items-center gap-2 p-1.5">
        {canPlay && <PlayButton voiceId={voiceId} name={name} preview={preview} />}
        <button
          type="button"
          data-voice={voiceId}
          aria-current={isSelected || undefined}
          className="flex min-h-11 min-w-0 flex-1 items-center gap-3 rounded px-2 text-start"
          onClick={() => onSelect(voice)}
          onKeyDown={onKeyDown}
        >
          <span className="min-w-0 flex-1">
            <span className="line-clamp-2 font-medium" dir="auto">
              {name}
            </span>
            <span className="line-clamp-2 text-muted" dir="auto">
              {[labels.describeVoice(voice), accent].filter(Boolean).join(' · ')}
            </span>
            {description !== '' && (
              <span className="line-clamp-2 text-muted" dir="auto">
                {description}
              </span>
            )}
          </span>
          <Check aria-hidden="true" className={`size-4 shrink-0 ${isSelected ? '' : 'invisible'}`} />
        </button>
        {canPlay && (
          <IconButton
            icon={isPinned ? PinOff : Pin}
            label={isPinned ? t('Stop comparing {name}', { name }) : t('Compare {name}', { name })}
            onClick={() => onPin(voiceId)}
          />
        )}
      </div>
      {problem && (
        <div className="px-2 pb-2">
          <ProblemNote problem={problem} />
        </div>
      )}
    </li>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || list === null) return
  const rows = listRows(list)
  const nextRow = rows[rows.indexOf(event.currentTarget) + step]
  if (nextRow === undefined) return
  event.preventDefault()
  nextRow.focus()
}

const listRows = (container: HTMLElement): HTMLElement[] => [...container.querySelectorAll<HTMLElement>('[data-voice]')]

/** Focuses the first voice inside an element. */
export function focusFirstVoice(container: HTMLElement): void {
  listRows(container)[0]?.focus()
}
