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
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useVoiceLabels } from '../../parts/voice-picker/voice-labels.ts'

/** Workspaces can add and remove only voices of these vendors. */
export const COMMUNITY_VENDORS = ['elevenlabs', 'cartesia'] as const satisfies readonly VoiceProvider[]

const MAX_NAME_LENGTH = 200

/** Searches a vendor's community voices and adds them. */
export function FindVoicesDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const labels = useVoiceLabels()
  const [voiceProvider, setVoiceProvider] = useState<VoiceProvider>('elevenlabs')
  const [searchQuery, setSearchQuery] = useState('')
  const searchVoices = useWrite('searchVoices')
  const canSearch = searchQuery.trim() !== '' && !searchVoices.isPending
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Add voices')}
      description={t('Search a vendor’s community voices. Added voices count toward the limit of your vendor account.')}
    >
      <FieldProblems details={searchVoices.error?.details ?? []}>
        <form
          noValidate
          className="flex flex-col gap-3 sm:flex-row sm:items-end"
          onSubmit={(event) => {
            event.preventDefault()
            if (canSearch) searchVoices.mutate({ body: { voiceProvider, searchQuery } })
          }}
        >
          <SelectField
            label={t('Vendor')}
            name="voiceProvider"
            className="sm:w-44"
            value={voiceProvider}
            onChange={setVoiceProvider}
            choices={COMMUNITY_VENDORS.map((name) => ({
              value: name,
              label: labels.getValueLabel('provider', name),
            }))}
          />
          <TextField
            label={t('Description')}
            name="searchQuery"
            className="flex-1"
            placeholder={t('calm british')}
            value={searchQuery}
            onChange={setSearchQuery}
            maxLength={200}
            autoFocus
          />
          <Button kind="primary" type="submit" icon={Search} busy={searchVoices.isPending} disabled={!canSearch}>
            {t('Search voices')}
          </Button>
        </form>
      </FieldProblems>
      {searchVoices.error && <VendorProblem problem={searchVoices.error} />}
      <VoiceResults results={searchVoices.data?.value.voices} />
    </Dialog>
  )
}

function VoiceResults({ results }: { readonly results: readonly CommunityVoice[] | undefined }) {
  const t = useText()
  return (
    <>
      <p aria-live="polite" className="text-muted">
        {results &&
          t('{count, plural, =0 {No voices found. Try other words.} one {# voice} other {# voices}}', {
            count: results.length,
          })}
      </p>
      {results && results.length > 0 && (
        <ul aria-label={t('Results')} className="flex flex-col divide-y divide-line">
          {results.map((voice) => (
            <VoiceResult key={`${voice.voiceProvider} ${voice.providerVoiceId}`} voice={voice} />
          ))}
        </ul>
      )}
    </>
  )
}

function VoiceResult({ voice }: { readonly voice: CommunityVoice }) {
  const t = useText()
  const addVoice = useWrite('createVoice', { invalidates: ['listVoices'] })
  const { name, description, providerVoiceId, publicUserId, voiceProvider } = voice
  const submit = (): void =>
    addVoice.mutate(
      {
        body: {
          voiceProvider: voiceProvider as VoiceProvider,
          providerVoiceId,
          publicUserId,
          name: name.slice(0, MAX_NAME_LENGTH),
        },
      },
      { onSuccess: () => notify(t('Voice {name} added', { name })) },
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
        {addVoice.isSuccess ? (
          <Badge tone="good">{t('Added')}</Badge>
        ) : (
          <Button icon={Plus} busy={addVoice.isPending} aria-label={t('Add {name}', { name })} onClick={submit}>
            {t('Add')}
          </Button>
        )}
      </div>
      {addVoice.error && <VendorProblem problem={addVoice.error} />}
    </li>
  )
}

/** Displays a vendor error, with a link to the provider keys if a key is missing. */
function VendorProblem({ problem }: { readonly problem: Error }) {
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
          {t('Add a provider key')}
        </Link>
      )}
    </div>
  )
}
