import { useText } from '../../../lib/language.ts'
import { ToolText, ToolWords } from '../bound-fields.tsx'

/** How the model knows the tool. */
export function NamingFields() {
  const t = useText()
  return (
    <>
      <ToolText
        path="name"
        label={t('Name')}
        help={t('How the model calls it: letters, digits, "_" and "-". Each name once.')}
      />
      <ToolWords
        path="description"
        label={t('Description')}
        help={t('Tells the model what the tool does and when to use it.')}
        isOptional
      />
    </>
  )
}
