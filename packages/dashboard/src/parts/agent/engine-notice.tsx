import type { ResponseEngine } from '@parley/contract/response-engine'
import { Button } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { isBehind } from './engine.ts'

/** Says that the agent answers with an older version of its prompt than the one that is shown and edited. */
export function EngineNotice({
  engine,
  newestVersion,
  disabled,
  onFollow,
}: {
  readonly engine: ResponseEngine
  readonly newestVersion: number
  readonly disabled: boolean
  readonly onFollow: (engine: ResponseEngine) => void
}) {
  const t = useText()
  if (!isBehind(engine, newestVersion)) return null
  return (
    <div role="note" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2.5 text-warn">
      <p className="min-w-0 flex-1 basis-72">
        {t(
          'This agent answers with version {used} of its prompt, functions and knowledge. Shown and edited here is the newest, version {newest}.',
          { used: engine.version ?? newestVersion, newest: newestVersion },
        )}
      </p>
      {!disabled && (
        <Button onClick={() => onFollow({ ...engine, version: null })}>{t('Answer with the newest')}</Button>
      )}
    </div>
  )
}
