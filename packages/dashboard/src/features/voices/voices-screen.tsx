import type { Voice } from '@parley/contract/voice'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { AudioLines, Pencil, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen } from '../../components/list-screen.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { toPages } from '../../lib/api/single-page.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { PlayButton } from '../../parts/voice-picker/play-button.tsx'
import { ALL_VOICES, filterVoices, isFiltered, type VoiceFilter } from '../../parts/voice-picker/voice-filter.ts'
import { VoiceFilters } from '../../parts/voice-picker/voice-filters.tsx'
import { useVoiceLabels } from '../../parts/voice-picker/voice-labels.ts'
import { useVoicePreview, type VoicePreview } from '../../parts/voice-picker/voice-preview.ts'
import { useVoices } from '../../parts/voice-picker/voices.ts'
import { EditVoiceDialog } from './edit-voice-dialog.tsx'
import { COMMUNITY_VENDORS, FindVoicesDialog } from './find-voices-dialog.tsx'

/** Lists the voices that the workspace's agents can use. */
export function VoicesScreen() {
  const t = useText()
  const can = useCan()
  const voices = useVoices()
  const preview = useVoicePreview()
  const [filter, setFilter] = useVoiceFilter()
  const [editedVoice, setEditedVoice] = useState<Voice | null>(null)
  const [removedVoice, setRemovedVoice] = useState<Voice | null>(null)
  const matchingVoices = useMemo(() => filterVoices(voices.data ?? [], filter), [voices.data, filter])
  return (
    <ListScreen
      title={t('Voices')}
      description={t('Voices that agents in this workspace can use.')}
      createAction={{
        label: t('Add voices'),
        isAllowed: can('createVoice'),
        dialog: (onClose) => <FindVoicesDialog onClose={onClose} />,
      }}
      filters={
        voices.data && (
          <>
            <VoiceFilters voices={voices.data} filter={filter} onFilterChange={setFilter} />
            {preview.problem && <PreviewProblem problem={preview.problem} voices={voices.data} />}
          </>
        )
      }
      pages={toPages(voices, () => matchingVoices)}
      columns={useVoiceColumns({ preview, onEdit: setEditedVoice, onRemove: setRemovedVoice })}
      getRowKey={({ voiceId }) => voiceId}
      emptyState={{
        icon: AudioLines,
        title: t('No matching voices'),
        ...(isFiltered(filter)
          ? {
              children: t('Change the filters or add voices.'),
              action: <Button onClick={() => setFilter(ALL_VOICES)}>{t('Clear filters')}</Button>,
            }
          : { children: t('Add a provider key, then add that vendor’s voices.') }),
      }}
    >
      {editedVoice && <EditVoiceDialog voice={editedVoice} onClose={() => setEditedVoice(null)} />}
      {removedVoice && (
        <ConfirmDialog
          operation="deleteVoice"
          params={{ path: { voiceId: removedVoice.voiceId } }}
          invalidates={['listVoices', 'getVoice']}
          title={t('Remove voice {name}?', { name: removedVoice.name })}
          description={t('The voice stays in your vendor account. You can add it again.')}
          label={t('Remove voice')}
          successMessage={t('Voice removed')}
          onClose={() => setRemovedVoice(null)}
        />
      )}
    </ListScreen>
  )
}

function useVoiceFilter(): readonly [VoiceFilter, (changes: Partial<VoiceFilter>) => void] {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const searchParams = useSearch({ from: '/signed-in/$workspaceId/voices' })
  const filter = useMemo(() => ({ ...ALL_VOICES, ...searchParams }), [searchParams])
  return [
    filter,
    (changes) => {
      const activeFilters = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '')
      const search = Object.fromEntries(activeFilters)
      void navigate({ to: '/$workspaceId/voices', params: { workspaceId }, search, replace: true })
    },
  ]
}

/** Explains why a preview failed, with a link to the vendor's sample if there is one. */
function PreviewProblem({
  problem: { voiceId, error },
  voices,
}: {
  readonly problem: NonNullable<VoicePreview['problem']>
  readonly voices: readonly Voice[]
}) {
  const t = useText()
  const voice = voices.find((candidateVoice) => candidateVoice.voiceId === voiceId)
  // The preview on this server is the one that has failed.
  const isOwnPreview = voice?.previewUrl.includes(`/api/voices/${voiceId}/preview`) ?? true
  const sampleUrl = isOwnPreview ? '' : (voice?.previewUrl ?? '')
  return (
    <div className="flex flex-col gap-2">
      <ProblemNote problem={error} />
      {sampleUrl.startsWith('https://') && (
        <a
          href={sampleUrl}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('Open vendor sample of {name}', { name: voice?.name ?? voiceId })}
        </a>
      )}
    </div>
  )
}

/** Whether the workspace has added the voice. Voices that a vendor's account lists have the vendor's name in their ID. */
const isAddedVoice = ({ provider, voiceId }: Voice): boolean =>
  (COMMUNITY_VENDORS as readonly (string | null)[]).includes(provider) && !voiceId.startsWith(`voice_${provider}_`)

interface VoiceColumnsProps {
  readonly preview: VoicePreview
  readonly onEdit: (voice: Voice) => void
  readonly onRemove: (voice: Voice) => void
}

export function useVoiceColumns({ preview, onEdit, onRemove }: VoiceColumnsProps): readonly Column<Voice>[] {
  const t = useText()
  const can = useCan()
  const labels = useVoiceLabels()
  const canPlay = can('getVoicePreview')
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: (voice) => <VoiceName voice={voice} preview={canPlay ? preview : null} />,
    },
    {
      key: 'provider',
      title: t('Vendor'),
      visibleFrom: 'sm',
      width: 'w-32',
      cell: ({ provider }) => (
        <span className="block truncate">{labels.getValueLabel('provider', provider) || '–'}</span>
      ),
    },
    {
      key: 'language',
      title: t('Language'),
      visibleFrom: 'md',
      width: 'w-44',
      cell: ({ language }) => <span className="line-clamp-2">{labels.getValueLabel('language', language) || '–'}</span>,
    },
    {
      key: 'gender',
      title: t('Gender'),
      visibleFrom: 'lg',
      width: 'w-24',
      cell: ({ gender }) => labels.getValueLabel('gender', gender) || '–',
    },
    {
      key: 'accent',
      title: t('Accent'),
      visibleFrom: 'xl',
      width: 'w-28',
      cell: ({ accent }) => <span className="block truncate">{accent || '–'}</span>,
    },
    {
      key: 'id',
      title: t('ID'),
      visibleFrom: 'lg',
      width: 'w-52',
      cell: ({ voiceId }) => <CopyText text={voiceId} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-24',
      align: 'end',
      cell: (voice) => isAddedVoice(voice) && <VoiceActions voice={voice} onEdit={onEdit} onRemove={onRemove} />,
    },
  ]
}

function VoiceActions({
  voice,
  onEdit,
  onRemove,
}: Omit<VoiceColumnsProps, 'preview'> & {
  readonly voice: Voice
}) {
  const t = useText()
  const can = useCan()
  const { name } = voice
  return (
    <span className="inline-flex">
      {can('updateVoice') && (
        <IconButton icon={Pencil} label={t('Edit {name}', { name })} onClick={() => onEdit(voice)} />
      )}
      {can('deleteVoice') && (
        <IconButton icon={Trash2} label={t('Remove {name}', { name })} onClick={() => onRemove(voice)} />
      )}
    </span>
  )
}

function VoiceName({ voice, preview }: { readonly voice: Voice; readonly preview: VoicePreview | null }) {
  const { voiceId, name, description } = voice
  return (
    <div className="flex items-center gap-3">
      {preview !== null && <PlayButton voiceId={voiceId} name={name} preview={preview} />}
      <div className="min-w-0">
        <div className="line-clamp-2 font-medium" dir="auto">
          {name}
        </div>
        <div className="line-clamp-2 text-muted" dir="auto" title={description}>
          {description}
        </div>
      </div>
    </div>
  )
}
