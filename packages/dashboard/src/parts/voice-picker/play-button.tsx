import { Play, Square } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import type { VoicePreview } from './voice-preview.ts'

/** Renders a button that plays and stops a voice preview. */
export function PlayButton({
  voiceId,
  name,
  preview,
  disabled = false,
}: {
  readonly voiceId: string
  readonly name: string
  readonly preview: VoicePreview
  readonly disabled?: boolean
}) {
  const t = useText()
  const isCurrent = preview.voiceId === voiceId
  return (
    <IconButton
      icon={isCurrent ? Square : Play}
      kind="plain"
      className={isCurrent && preview.state === 'loading' ? 'animate-pulse' : ''}
      label={isCurrent ? t('Stop {name}', { name }) : t('Play {name}', { name })}
      disabled={disabled}
      onClick={() => preview.toggle(voiceId)}
    />
  )
}
