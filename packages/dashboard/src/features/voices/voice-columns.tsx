import type { Voice, VoiceProvider } from '@parley/contract/voice'
import { Trash2 } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { PlayButton } from '../../parts/voice-picker/play-button.tsx'
import type { VoicePreview } from '../../parts/voice-picker/voice-preview.ts'
import { useVoiceWords } from '../../parts/voice-picker/voice-words.ts'

/** Only voices of these providers are added by a workspace, and can be removed. */
export const COMMUNITY_PROVIDERS = ['elevenlabs', 'cartesia'] as const satisfies readonly VoiceProvider[]

const isAdded = ({ provider }: Voice): boolean => (COMMUNITY_PROVIDERS as readonly (string | null)[]).includes(provider)

interface VoiceColumnsProps {
  readonly preview: VoicePreview
  readonly onRemove: (voice: Voice) => void
}

export function useVoiceColumns({ preview, onRemove }: VoiceColumnsProps): readonly Column<Voice>[] {
  const t = useText()
  const may = useMay()
  const words = useVoiceWords()
  const mayPlay = may('previewVoice')
  const mayRemove = may('deleteVoice')
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: (voice) => <VoiceName voice={voice} preview={mayPlay ? preview : null} />,
    },
    {
      key: 'provider',
      title: t('Provider'),
      from: 'sm',
      width: 'w-32',
      cell: ({ provider }) => <span className="block truncate">{words.of('provider', provider) || '–'}</span>,
    },
    {
      key: 'language',
      title: t('Language'),
      from: 'md',
      width: 'w-44',
      cell: ({ language }) => <span className="line-clamp-2">{words.of('language', language) || '–'}</span>,
    },
    {
      key: 'gender',
      title: t('Gender'),
      from: 'lg',
      width: 'w-24',
      cell: ({ gender }) => words.of('gender', gender) || '–',
    },
    {
      key: 'accent',
      title: t('Accent'),
      from: 'xl',
      width: 'w-28',
      cell: ({ accent }) => <span className="block truncate">{accent || '–'}</span>,
    },
    {
      key: 'id',
      title: t('ID'),
      from: 'lg',
      width: 'w-52',
      cell: ({ voiceId }) => <CopyText text={voiceId} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (voice) =>
        mayRemove && isAdded(voice) ? (
          <IconButton icon={Trash2} label={t('Remove {name}', { name: voice.name })} onClick={() => onRemove(voice)} />
        ) : null,
    },
  ]
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
