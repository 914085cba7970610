import type { CallDevice, CallDevices } from '@parley/sdk'
import { useEffect, useState } from 'react'
import { SelectField } from '../../components/fields.tsx'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { useText } from '../../lib/language.ts'
import { Fold } from './fold.tsx'
import type { ChosenDevices } from './use-test-call.ts'

const NO_DEVICES: CallDevices = { microphones: [], speakers: [] }

/** The devices of this machine, kept current while they are shown. */
function useDevices(isShown: boolean): CallDevices {
  const [found, setFound] = useState<CallDevices>(NO_DEVICES)
  useEffect(() => {
    if (!isShown) return
    const ending = new AbortController()
    const read = async (): Promise<void> => {
      const client = await loadBrowserCall()
      const devices = await client.devices()
      if (!ending.signal.aborted) setFound(devices)
    }
    const readQuietly = (): void => void read().catch(() => undefined)
    readQuietly()
    navigator.mediaDevices?.addEventListener('devicechange', readQuietly, { signal: ending.signal })
    return () => ending.abort()
  }, [isShown])
  return found
}

/** Choice of microphone and loudspeaker, folded away. */
export function DeviceFold({
  chosen,
  onChoose,
  problem,
}: {
  readonly chosen: ChosenDevices
  readonly onChoose: (chosen: Partial<ChosenDevices>) => void
  /** Why the last choice did not work. */
  readonly problem: string
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const { microphones, speakers } = useDevices(isOpen)
  const choicesOf = (devices: readonly CallDevice[], name: (number: number) => string) => [
    { value: '', label: t('The system’s own') },
    ...devices.map(({ deviceId, label }, index) => ({ value: deviceId, label: label || name(index + 1) })),
  ]
  return (
    <Fold title={t('Devices')} onToggle={setIsOpen}>
      <SelectField
        label={t('Microphone')}
        value={chosen.microphone ?? ''}
        choices={choicesOf(microphones, (number) => t('Microphone {number}', { number }))}
        onChange={(value) => onChoose({ microphone: value === '' ? null : value })}
      />
      {speakers.length > 0 && (
        <SelectField
          label={t('Loudspeaker')}
          value={chosen.speaker ?? ''}
          choices={choicesOf(speakers, (number) => t('Loudspeaker {number}', { number }))}
          onChange={(value) => onChoose({ speaker: value === '' ? null : value })}
        />
      )}
      {problem !== '' && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </Fold>
  )
}
