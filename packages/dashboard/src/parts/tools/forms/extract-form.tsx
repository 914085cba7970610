import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolLines, ToolSelect, ToolSwitch, ToolText, ToolWords } from '../bound-fields.tsx'
import { useToolField } from '../tool-form.ts'

const LIST = 'variables'

/** Values to find in what was said. */
export function ExtractForm() {
  const t = useText()
  const { value, set, disabled } = useToolField(LIST)
  const variables: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <FormGroup title={t('Variables')}>
      {variables.map((_variable, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          className="flex min-w-0 flex-col gap-4 rounded-md border border-line p-3"
        >
          <legend className="px-1 text-muted">{t('Variable {number}', { number: index + 1 })}</legend>
          <VariableFields path={`${LIST}.${index}`} />
          {!disabled && (
            <Button
              kind="quiet"
              icon={Trash2}
              className="w-fit"
              onClick={() => set(variables.filter((_one, at) => at !== index))}
            >
              {t('Remove variable')}
            </Button>
          )}
        </fieldset>
      ))}
      {!disabled && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => set([...variables, { type: 'string', name: '', description: '' }])}
        >
          {t('Add variable')}
        </Button>
      )}
    </FormGroup>
  )
}

function VariableFields({ path }: { readonly path: string }) {
  const t = useText()
  const type = useToolField(`${path}.type`).value
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ToolText path={`${path}.name`} label={t('Name')} />
        <ToolSelect
          path={`${path}.type`}
          label={t('Kind')}
          choices={[
            { value: 'string', label: t('Text') },
            { value: 'number', label: t('A number') },
            { value: 'boolean', label: t('Yes or no') },
            { value: 'enum', label: t('One of several words') },
          ]}
        />
      </div>
      <ToolWords path={`${path}.description`} label={t('What to look for')} />
      {type === 'enum' && <ToolLines path={`${path}.choices`} label={t('Words to choose from, one in a line')} />}
      {type === 'string' && <ToolLines path={`${path}.examples`} label={t('Examples, one in a line')} />}
      <ToolWords path={`${path}.conditional_prompt`} label={t('Only when')} isOptional />
      <ToolSwitch path={`${path}.required`} label={t('It must be found')} />
    </>
  )
}
