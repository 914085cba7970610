import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { setTimer } from '../lib/clock.ts'
import { useText } from '../lib/language.ts'
import { IconButton } from './button.tsx'
import { notifyError } from './toasts.tsx'

const COPIED_MS = 2_000

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const t = useText()
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => (isCopied ? setTimer(COPIED_MS, () => setIsCopied(false)) : undefined), [isCopied])

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      notifyError(t('The browser blocked copying. Select the text and copy it manually.'))
    }
  }

  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? t('Copied') : (label ?? t('Copy'))}
      onClick={() => void copy()}
    />
  )
}

export function CopyText({ text }: { readonly text: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 truncate text-xs text-muted" title={text}>
        {text}
      </code>
      <CopyButton text={text} />
    </span>
  )
}

/** Displays a secret that the server returns only once. */
export function OneTimeSecret({ value, label }: { readonly value: string; readonly label: string }) {
  const t = useText()
  return (
    <div className="flex flex-col gap-2 rounded-md bg-warn-soft p-3 text-warn">
      <p>{t('Copy it now. You won’t be able to see it again.')}</p>
      <div className="flex items-center gap-2 rounded border border-line bg-panel ps-2.5 text-ink">
        <input
          readOnly
          aria-label={label}
          value={value}
          onFocus={(event) => event.target.select()}
          className="min-w-0 flex-1 bg-transparent py-2 font-mono text-xs"
        />
        <CopyButton text={value} />
      </div>
    </div>
  )
}
