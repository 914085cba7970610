import type { Voice } from '@parley/contract/voice'
import { ProblemNote } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import type { VoicePreview } from '../../parts/voice-picker/voice-preview.ts'

/** Why a voice could not be heard, with the sample of its provider where there is one. */
export function PreviewProblem({
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
