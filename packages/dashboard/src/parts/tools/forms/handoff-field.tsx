import { SelectField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import { ToolWords } from '../bound-fields.tsx'
import { useVariant } from '../tool-form.ts'

const NOTHING = ''

/** What is said at a hand-over: nothing, words of the model, or the same words every time. */
export function HandoffField({
  path,
  label,
  isPromptOnly = false,
}: {
  readonly path: string
  readonly label: string
  readonly isPromptOnly?: boolean
}) {
  const t = useText()
  const { type, choose, ...field } = useVariant(path)
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        {...field}
        label={label}
        value={type}
        choices={[
          { value: NOTHING, label: isPromptOnly ? t('Not set') : t('Nothing') },
          { value: 'prompt', label: isPromptOnly ? t('By an instruction') : t('Words of the model') },
          ...(isPromptOnly ? [] : [{ value: 'static_message', label: t('The same words every time') }]),
        ]}
        onChange={(chosen) => choose(chosen === NOTHING ? null : chosen)}
      />
      {type === 'prompt' && <ToolWords path={`${path}.prompt`} label={t('Instruction')} />}
      {type === 'static_message' && <ToolWords path={`${path}.message`} label={t('Words to say')} />}
    </div>
  )
}
