import type { CommunityVoice, VoiceProvider } from '@parley/contract/voice'
import { Link } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useVoiceWords } from '../../parts/voice-picker/voice-words.ts'
import { COMMUNITY_PROVIDERS } from './voice-columns.tsx'

/** Longest name that the catalogue takes. */
const MAX_NAME_LENGTH = 200

/** Searches what the communities of voice providers share, and adds what is wanted. */
export function FindVoicesDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const words = useVoiceWords()
  const [voiceProvider, setVoiceProvider] = useState<VoiceProvider>('elevenlabs')
  const [searchQuery, setSearchQuery] = useState('')
  const search = useWrite('searchVoices')
  const canSearch = searchQuery.trim() !== '' && !search.isPending
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Find more voices')}
      description={t('Voices that people share at a provider. What you add takes a place of your account there.')}
    >
      <FieldProblems details={search.error?.details ?? []}>
        <form
          noValidate
          className="flex flex-col gap-3 sm:flex-row sm:items-end"
          onSubmit={(event) => {
            event.preventDefault()
            if (canSearch) search.mutate({ body: { voiceProvider, searchQuery } })
          }}
        >
          <SelectField
            label={t('Provider')}
            name="voiceProvider"
            className="sm:w-44"
            value={voiceProvider}
            onChange={setVoiceProvider}
            choices={COMMUNITY_PROVIDERS.map((name) => ({ value: name, label: words.of('provider', name) }))}
          />
          <TextField
            label={t('What it sounds like')}
            name="searchQuery"
            className="flex-1"
            placeholder={t('Such as: calm british')}
            value={searchQuery}
            onChange={setSearchQuery}
            maxLength={200}
            autoFocus
          />
          <Button kind="primary" type="submit" icon={Search} busy={search.isPending} disabled={!canSearch}>
            {t('Search')}
          </Button>
        </form>
      </FieldProblems>
      {search.error && <ProviderProblem problem={search.error} />}
      <FoundVoices found={search.data?.value.voices} />
    </Dialog>
  )
}

function FoundVoices({ found }: { readonly found: readonly CommunityVoice[] | undefined }) {
  const t = useText()
  return (
    <>
      <p aria-live="polite" className="text-muted">
        {found &&
          t('{count, plural, =0 {No voice found. Use other words.} one {# voice} other {# voices}}', {
            count: found.length,
          })}
      </p>
      {found && found.length > 0 && (
        <ul aria-label={t('Found voices')} className="flex flex-col divide-y divide-line">
          {found.map((voice) => (
            <FoundVoice key={`${voice.voiceProvider} ${voice.providerVoiceId}`} voice={voice} />
          ))}
        </ul>
      )}
    </>
  )
}

function FoundVoice({ voice }: { readonly voice: CommunityVoice }) {
  const t = useText()
  const add = useWrite('createVoice', { refreshes: ['listVoices'] })
  const { name, description, providerVoiceId, publicUserId, voiceProvider } = voice
  const addIt = (): void =>
    add.mutate(
      {
        body: {
          voiceProvider: voiceProvider as VoiceProvider,
          providerVoiceId,
          publicUserId,
          name: name.slice(0, MAX_NAME_LENGTH),
        },
      },
      { onSuccess: () => tell(t('The voice {name} is added.', { name })) },
    )
  return (
    <li className="flex flex-col gap-2 py-2">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <div className="line-clamp-2 font-medium" dir="auto">
            {name}
          </div>
          <div className="line-clamp-3 text-muted" dir="auto">
            {description}
          </div>
        </div>
        {add.isSuccess ? (
          <Badge tone="good">{t('Added')}</Badge>
        ) : (
          <Button icon={Plus} busy={add.isPending} aria-label={t('Add {name}', { name })} onClick={addIt}>
            {t('Add')}
          </Button>
        )}
      </div>
      {add.error && <ProviderProblem problem={add.error} />}
    </li>
  )
}

/** What a provider did not do, with the way to its key where that is what is missing. */
function ProviderProblem({ problem }: { readonly problem: Error }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <div className="flex flex-col gap-2">
      <ProblemNote problem={problem} />
      {problem instanceof Problem && problem.code === 'provider_not_configured' && (
        <Link
          to="/$workspaceId/provider-keys"
          params={{ workspaceId }}
          className="inline-flex min-h-9 w-fit items-center text-brand-text underline"
        >
          {t('Store a key for the provider')}
        </Link>
      )}
    </div>
  )
}
