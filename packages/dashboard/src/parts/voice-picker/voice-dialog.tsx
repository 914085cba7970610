import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Reading } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { EVERY_VOICE, isFiltered, matchingVoices, type VoiceFilter } from './voice-filter.ts'
import { VoiceFilters } from './voice-filters.tsx'
import { useVoicePreview } from './voice-preview.ts'
import { focusFirstVoice, VoiceRows } from './voice-rows.tsx'
import { useVoices } from './voices.ts'

/** The catalogue, to choose a voice from it. */
export function VoiceDialog({
  chosen,
  onChoose,
  onClose,
}: {
  readonly chosen: string
  readonly onChoose: (voiceId: string) => void
  readonly onClose: () => void
}) {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  const voices = useVoices()
  const preview = useVoicePreview()
  const place = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState<VoiceFilter>(EVERY_VOICE)
  const found = useMemo(() => matchingVoices(voices.data ?? [], filter), [voices.data, filter])
  const isRead = voices.data !== undefined
  // The search comes first: most know what they look for.
  useEffect(() => {
    if (isRead) place.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus()
  }, [isRead])
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Choose a voice')}
      description={t('Arrow keys move, space plays, Enter chooses.')}
      actions={
        <Link
          to="/$workspaceId/voices"
          params={{ workspaceId }}
          className="me-auto inline-flex min-h-9 items-center text-brand-text underline"
        >
          {t('Find and add more voices')}
        </Link>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hands the focus from the search to the list. */}
      <div
        ref={place}
        className="flex min-h-80 flex-col gap-4"
        onKeyDown={(event) => {
          const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
          if (event.key !== 'ArrowDown' || !isSearch) return
          event.preventDefault()
          focusFirstVoice(event.currentTarget)
        }}
      >
        <Reading of={voices} lines={6}>
          {(all) => (
            <>
              <VoiceFilters
                voices={all}
                filter={filter}
                onFilter={(changes) => setFilter((current) => ({ ...current, ...changes }))}
              />
              <p aria-live="polite" className="text-muted">
                {t('{count, plural, one {# voice} other {# voices}}', { count: found.length })}
              </p>
              {found.length === 0 && isFiltered(filter) && (
                <Button className="self-start" onClick={() => setFilter(EVERY_VOICE)}>
                  {t('Show all voices')}
                </Button>
              )}
              <VoiceRows
                voices={found}
                chosen={chosen}
                preview={preview}
                mayPlay={may('previewVoice')}
                onChoose={({ voiceId }) => {
                  onChoose(voiceId)
                  onClose()
                }}
              />
            </>
          )}
        </Reading>
      </div>
    </Dialog>
  )
}
