import type { Voice } from '@parley/contract/voice'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AudioLines, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DataList } from '../../components/data-list.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, ProblemNote, Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { wholeList } from '../../lib/api/whole-list.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { EVERY_VOICE, isFiltered, matchingVoices, type VoiceFilter } from '../../parts/voice-picker/voice-filter.ts'
import { VoiceFilters } from '../../parts/voice-picker/voice-filters.tsx'
import { useVoicePreview, type VoicePreview } from '../../parts/voice-picker/voice-preview.ts'
import { useVoices } from '../../parts/voice-picker/voices.ts'
import { FindVoicesDialog } from './find-voices-dialog.tsx'
import { useVoiceColumns } from './voice-columns.tsx'

/** The voices that the agents of the workspace can speak with. */
export function VoicesScreen() {
  const t = useText()
  const may = useMay()
  const voices = useVoices()
  const preview = useVoicePreview()
  const [filter, setFilter] = useFilter()
  const [isFinding, setIsFinding] = useState(false)
  const [removed, setRemoved] = useState<Voice | null>(null)
  const mayAdd = may('createVoice')
  useHotkeys(mayAdd ? { n: () => setIsFinding(true) } : {})
  const columns = useVoiceColumns({ preview, onRemove: setRemoved })
  const found = useMemo(() => matchingVoices(voices.data ?? [], filter), [voices.data, filter])
  const findButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsFinding(true)}>
      {t('Find more voices')}
    </Button>
  )
  return (
    <Page
      title={t('Voices')}
      description={t('What the agents of this workspace can speak with. Listen, and copy an id for use in the API.')}
      actions={mayAdd && findButton}
    >
      <Reading of={voices} lines={6}>
        {(all) => (
          <>
            <VoiceFilters voices={all} filter={filter} onFilter={setFilter} />
            {preview.problem && <PreviewProblem problem={preview.problem} voices={all} />}
            <DataList
              label={t('Voices')}
              pages={wholeList(found)}
              columns={columns}
              rowKey={({ voiceId }) => voiceId}
              empty={
                <Empty
                  icon={AudioLines}
                  title={t('No voice found')}
                  action={
                    isFiltered(filter) ? (
                      <Button onClick={() => setFilter(EVERY_VOICE)}>{t('Show all voices')}</Button>
                    ) : (
                      mayAdd && findButton
                    )
                  }
                >
                  {isFiltered(filter)
                    ? t('No voice of the catalogue is like that. Ask for less, or look for more voices.')
                    : t('The catalogue is empty. Find voices of a provider whose key is stored.')}
                </Empty>
              }
            />
          </>
        )}
      </Reading>
      {isFinding && <FindVoicesDialog onClose={() => setIsFinding(false)} />}
      {removed && <RemoveVoiceDialog voice={removed} onClose={() => setRemoved(null)} />}
    </Page>
  )
}

/** The filter of the address, and how to change it. */
function useFilter(): readonly [VoiceFilter, (changes: Partial<VoiceFilter>) => void] {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const asked = useSearch({ from: '/signed-in/$workspaceId/voices' })
  const filter = useMemo(() => ({ ...EVERY_VOICE, ...asked }), [asked])
  return [
    filter,
    (changes) => {
      const wanted = Object.entries({ ...filter, ...changes }).filter(([, word]) => word !== '')
      const search = Object.fromEntries(wanted)
      void navigate({ to: '/$workspaceId/voices', params: { workspaceId }, search, replace: true })
    },
  ]
}

/** Why a voice could not be heard, with the sample of its provider where there is one. */
function PreviewProblem({
  problem: { voiceId, error },
  voices,
}: {
  readonly problem: NonNullable<VoicePreview['problem']>
  readonly voices: readonly Voice[]
}) {
  const t = useText()
  const voice = voices.find((one) => one.voiceId === voiceId)
  const sample = voice?.playbackOverrideUrl ?? voice?.previewUrl ?? ''
  return (
    <div className="flex flex-col gap-2">
      <ProblemNote problem={error} />
      {sample.startsWith('https://') && (
        <a
          href={sample}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('Open the provider’s sample of {name}', { name: voice?.name ?? voiceId })}
        </a>
      )}
    </div>
  )
}

/** Asks before a voice leaves the catalogue. */
function RemoveVoiceDialog({
  voice: { voiceId, name },
  onClose,
}: {
  readonly voice: Voice
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteVoice', { refreshes: ['listVoices', 'getVoice'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Remove the voice {name}?', { name })}
      consequence={t('It leaves the catalogue. The account at its provider keeps it, and you can add it again.')}
      label={t('Remove voice')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { voiceId } },
          {
            onSuccess: () => {
              tell(t('The voice is removed.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
