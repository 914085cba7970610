import type { Voice } from '@parley/contract/voice'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { QueryView } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ALL_VOICES, filterVoices, isFiltered, type VoiceFilter } from './voice-filter.ts'
import { VoiceFilters } from './voice-filters.tsx'
import { useVoicePreview } from './voice-preview.ts'
import { focusFirstVoice, VoiceRows } from './voice-rows.tsx'
import { useVoices } from './voices.ts'

interface VoiceDialogProps {
  readonly selected: string
  readonly onSelect: (voiceId: string) => void
  readonly onClose: () => void
}

export function VoiceDialog({ selected, onSelect, onClose }: VoiceDialogProps) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const voices = useVoices()
  const container = useRef<HTMLDivElement>(null)
  const isLoaded = voices.data !== undefined
  useEffect(() => {
    if (isLoaded) container.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus()
  }, [isLoaded])
  const selectVoice = ({ voiceId }: Voice): void => {
    onSelect(voiceId)
    onClose()
  }
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Choose a voice')}
      description={t('Use the arrow keys to move, Space to play, and Enter to select.')}
      actions={
        <Link
          to="/$workspaceId/voices"
          params={{ workspaceId }}
          className="me-auto inline-flex min-h-9 items-center text-brand-text underline"
        >
          {t('Add voices')}
        </Link>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only moves the focus from the search to the list. */}
      <div
        ref={container}
        className="flex min-h-80 flex-col gap-4"
        onKeyDown={(event) => {
          const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
          if (event.key !== 'ArrowDown' || !isSearch) return
          event.preventDefault()
          focusFirstVoice(event.currentTarget)
        }}
      >
        <QueryView query={voices} lines={6}>
          {(allVoices) => <FilteredVoices voices={allVoices} selected={selected} onSelect={selectVoice} />}
        </QueryView>
      </div>
    </Dialog>
  )
}

interface FilteredVoicesProps {
  readonly voices: readonly Voice[]
  readonly selected: string
  readonly onSelect: (voice: Voice) => void
}

function FilteredVoices({ voices, selected, onSelect }: FilteredVoicesProps) {
  const t = useText()
  const can = useCan()
  const preview = useVoicePreview()
  const [filter, setFilter] = useState<VoiceFilter>(ALL_VOICES)
  const [pinned, setPinned] = useState<ReadonlySet<string>>(new Set())
  const pinnedVoices = voices.filter(({ voiceId }) => pinned.has(voiceId))
  const togglePin = (voiceId: string): void =>
    setPinned((current) => {
      const next = new Set(current)
      if (!next.delete(voiceId)) next.add(voiceId)
      return next
    })
  const rowProps = { selected, pinned, preview, canPlay: can('getVoicePreview'), onPin: togglePin, onSelect }
  const matches = useMemo(() => filterVoices(voices, filter), [voices, filter])
  return (
    <>
      {pinnedVoices.length > 0 && (
        <section aria-label={t('Compared voices')} className="rounded-md border border-line p-2">
          <div className="flex min-h-11 items-center justify-between gap-2 px-1.5">
            <h3 className="font-semibold">{t('Compared voices')}</h3>
            {pinnedVoices.length > 1 && (
              <Button onClick={() => preview.playAll(pinnedVoices.map(({ voiceId }) => voiceId))}>
                {t('Play one after another')}
              </Button>
            )}
          </div>
          <VoiceRows label={t('Compared voices')} voices={pinnedVoices} {...rowProps} />
        </section>
      )}
      <VoiceFilters
        voices={voices}
        filter={filter}
        onFilterChange={(changes) => setFilter((current) => ({ ...current, ...changes }))}
      />
      <p aria-live="polite" className="text-muted">
        {t('{count, plural, one {# voice} other {# voices}}', { count: matches.length })}
      </p>
      {matches.length === 0 && isFiltered(filter) && (
        <Button className="self-start" onClick={() => setFilter(ALL_VOICES)}>
          {t('Show all voices')}
        </Button>
      )}
      <VoiceRows label={t('Voices')} voices={matches} {...rowProps} />
    </>
  )
}
