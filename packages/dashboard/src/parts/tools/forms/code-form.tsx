import { CodeField } from '../../../components/json-editor.tsx'
import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolNumber } from '../bound-fields.tsx'
import { useToolField } from '../tool-form.ts'
import { ResultFields } from './custom-form.tsx'

const LONGEST_CODE = 5_000
const MS_PER_S = 1_000
const LANGUAGE = 'JavaScript'

/** Runs JavaScript in the sandbox. */
export function CodeForm() {
  const t = useText()
  const { value, set, ...field } = useToolField('code')
  const code = typeof value === 'string' ? value : ''
  return (
    <>
      <FormGroup title={t('Code')}>
        <CodeField
          {...field}
          label={LANGUAGE}
          help={t(
            'The body of an asynchronous function with dv, the variables as texts, and metadata. What it returns is the result. {count} of {most} characters.',
            { count: code.length, most: LONGEST_CODE },
          )}
          language="plain"
          value={code}
          onChange={set}
        />
      </FormGroup>
      <ResultFields>
        <ToolNumber
          path="timeout_ms"
          label={t('Time limit')}
          unit="s"
          scale={MS_PER_S}
          minimum={5}
          maximum={60}
          placeholder="30"
        />
      </ResultFields>
    </>
  )
}
