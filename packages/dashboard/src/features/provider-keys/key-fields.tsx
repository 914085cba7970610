import { TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'

const HTTPS = 'https://'

interface EditedText {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The key itself; browsers are asked not to keep it. */
export function KeyField({ isOptional = false, ...edited }: EditedText & { readonly isOptional?: boolean }) {
  const t = useText()
  return (
    <TextField
      label={t('Key')}
      help={t('Stored encrypted and never shown again, to nobody.')}
      name="apiKey"
      type="password"
      autoComplete="off"
      spellCheck={false}
      isOptional={isOptional}
      {...edited}
    />
  )
}

/** Another server with the interface of the service. */
export function BaseUrlField(edited: EditedText) {
  const t = useText()
  return (
    <TextField
      label={t('Address')}
      help={t('Of another server with the interface of the service; empty is the service itself.')}
      name="baseUrl"
      type="url"
      autoComplete="off"
      spellCheck={false}
      isOptional
      placeholder={HTTPS}
      {...edited}
    />
  )
}
