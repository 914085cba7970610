import { SendHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { CONTROL_CLASS } from '../../components/field.tsx'
import { useText } from '../../lib/language.ts'
import { useLostFocus } from './use-lost-focus.ts'

/** Where one writes: Enter sends, Shift+Enter begins a line. What is typed while one must wait stays. */
export function MessageBox({
  label,
  placeholder = label,
  isWaiting = false,
  onSend,
  children,
}: {
  readonly label: string
  readonly placeholder?: string
  /** Nothing can be sent right now. */
  readonly isWaiting?: boolean
  readonly onSend: (text: string) => void
  readonly children?: ReactNode
}) {
  const t = useText()
  const [text, setText] = useState('')
  const place = useLostFocus<HTMLTextAreaElement>()
  const canSend = !isWaiting && text.trim() !== ''
  const send = (): void => {
    if (!canSend) return
    onSend(text.trim())
    setText('')
  }
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={place}
        dir="auto"
        rows={1}
        aria-label={label}
        placeholder={placeholder}
        className={`${CONTROL_CLASS} field-sizing-content max-h-40 resize-none`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // Enter that ends a word of an input method is not meant for us.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {children}
      <IconButton icon={SendHorizontal} kind="primary" type="submit" label={t('Send')} disabled={!canSend} />
    </form>
  )
}
