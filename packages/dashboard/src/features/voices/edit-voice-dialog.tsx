import type { Voice } from '@parley/contract/voice'
import { useState } from 'react'
import { TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { useText } from '../../lib/language.ts'

/** Changes the name of an added voice and the sample that replaces its preview. */
export function EditVoiceDialog({ voice, onClose }: { readonly voice: Voice; readonly onClose: () => void }) {
  const t = useText()
  const [name, setName] = useState(voice.name)
  const [sampleUrl, setSampleUrl] = useState(voice.playbackOverrideUrl ?? '')
  const playbackOverrideUrl = sampleUrl.trim() === '' ? null : sampleUrl.trim()
  const changes = {
    ...(name.trim() !== voice.name && { name }),
    ...(playbackOverrideUrl !== voice.playbackOverrideUrl && { playbackOverrideUrl }),
  }
  return (
    <OperationDialog
      operation="updateVoice"
      params={{ path: { voiceId: voice.voiceId }, body: changes }}
      invalidates={['listVoices', 'getVoice']}
      title={t('Edit voice')}
      submitLabel={t('Save')}
      canSubmit={name.trim() !== '' && Object.keys(changes).length > 0}
      successMessage={t('Voice saved')}
      onClose={onClose}
    >
      <TextField label={t('Name')} name="name" maxLength={200} autoComplete="off" value={name} onChange={setName} />
      <TextField
        label={t('Preview URL')}
        help={t('An audio file to play instead of the generated preview.')}
        name="playbackOverrideUrl"
        type="url"
        isOptional
        maxLength={2_000}
        autoComplete="off"
        spellCheck={false}
        value={sampleUrl}
        onChange={setSampleUrl}
      />
    </OperationDialog>
  )
}
