import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { useText } from '../../lib/language.ts'
import { TextBox } from './text-box.tsx'

/** A record as the API answers it, folded. */
export function RawJson({ value }: { readonly value: unknown }) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const text = isOpen ? JSON.stringify(value, null, 2) : ''
  return (
    <details
      className="min-w-0 rounded-lg border border-line bg-panel p-4 sm:p-5"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="font-semibold">{t('As JSON')}</summary>
      {isOpen && (
        <div className="mt-3 flex flex-col gap-2">
          <div className="flex items-center justify-between gap-2 text-muted">
            <p>{t('The record as the API answers it.')}</p>
            <CopyButton text={text} label={t('Copy the JSON')} />
          </div>
          <TextBox label={t('As JSON')} text={text} />
        </div>
      )}
    </details>
  )
}
